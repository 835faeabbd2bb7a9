"""For servers that share one storage: shared data that are not API objects, and reads from a local copy.

Modules of this package do not write objects.
"""
