"""The storage engine on etcd, which several servers may share.

Nothing here may know what a stored value means.
"""
