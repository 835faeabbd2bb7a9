"""The storage engine whose revisions outlive the process, in a file of SQLite.

Nothing here may know what a stored value means.
"""
