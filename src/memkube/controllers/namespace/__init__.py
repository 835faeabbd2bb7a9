"""Empties namespaces that are being deleted, and lets them go (``pkg/controller/namespace``)."""
