"""The server's clock, and the work that a stepped clock must wait for before it moves.

Nothing here may know objects, requests or storage.
"""
