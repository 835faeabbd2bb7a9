"""State that several servers on one storage share besides objects, and reads from a server's own copy of it.

Nothing here may write an object.
"""
