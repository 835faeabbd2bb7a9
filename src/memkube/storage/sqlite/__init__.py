"""The storage engine that keeps revisions in a SQLite file, so that they outlive the process.

Nothing here may know what a stored value means.
"""
