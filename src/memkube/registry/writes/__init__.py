"""The write path: create, update, patch, apply and delete, in the order of kube-apiserver's generic store.

All writes of objects use this package. Its modules do not depend on single kinds.
"""
