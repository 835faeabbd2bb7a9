"""CSIStorageCapacities: available storage in a part of the cluster."""
