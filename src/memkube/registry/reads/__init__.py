"""GET, LIST and WATCH on the objects of one resource.

Nothing here writes, decodes a body, or encodes an object again.
"""
