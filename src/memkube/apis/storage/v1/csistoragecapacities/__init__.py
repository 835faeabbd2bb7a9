"""CSIStorageCapacities: how much storage there is in a part of the cluster."""
