"""State that all servers on one storage share besides objects, and reads from the local copy of that storage.

Nothing here may write an object.
"""
