"""The server's clock, and a counter of the work in progress inside the server.

A stepped clock, which moves only when a client advances it, waits until this work is done before it moves.

Modules of this package import no code for objects, requests or storage.
"""
