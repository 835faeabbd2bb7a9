"""The storage engine for etcd, which several servers can share.

Modules of this package do not depend on the type of the stored values.
"""
