"""What becomes of nodes that are not ready (``pkg/controller/nodelifecycle``)."""
