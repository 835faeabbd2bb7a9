"""GET, LIST and WATCH for the objects of one resource.

Modules of this package do not write to storage and do not decode request bodies.
"""
