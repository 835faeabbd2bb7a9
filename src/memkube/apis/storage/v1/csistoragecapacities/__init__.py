"""CSIStorageCapacities: storage available in a part of the cluster."""
