"""PersistentVolumes: storage of the cluster."""
