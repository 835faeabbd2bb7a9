"""Objects in their stored form, and their conversion between versions.

Nothing here may know a resource, a verb or a strategy.
"""
