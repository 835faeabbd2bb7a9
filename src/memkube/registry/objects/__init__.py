"""Objects in the form in which storage keeps them, and their conversion between versions.

Nothing here may know a resource, a verb or a strategy.
"""
