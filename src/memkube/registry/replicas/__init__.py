"""Parts for servers that share one storage: documents other than objects, and reads from a local copy of the storage.

Modules of this package do not write objects.
"""
