"""The storage engine for etcd, which several servers may share.

Modules of this package know nothing about the values.
"""
