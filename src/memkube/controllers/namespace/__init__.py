"""Deletes the content of terminating namespaces, then removes their finalizer (``pkg/controller/namespace``)."""
