"""The server's clock, and a counter of the work that a stepped clock must wait for before it advances.

Modules of this package import no code for objects, requests or storage.
"""
