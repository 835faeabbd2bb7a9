"""The server's clock, and a counter of the work in progress inside the server.

A stepped clock, which moves only when it is told to advance, waits until this work is done before it advances.

Modules of this package import no code for objects, requests or storage.
"""
