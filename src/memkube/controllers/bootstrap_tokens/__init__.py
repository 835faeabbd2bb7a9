"""Deletes expired bootstrap tokens, and signs ``cluster-info`` with valid ones (``pkg/controller/bootstrap``)."""
