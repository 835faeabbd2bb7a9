"""Parts for several servers on one storage: shared documents, and reads from a server's local copy of the storage.

Modules of this package do not write objects.
"""
