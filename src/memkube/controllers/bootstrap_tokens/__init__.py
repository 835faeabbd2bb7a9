"""Bootstrap tokens, with which new nodes join a cluster (``pkg/controller/bootstrap``)."""
