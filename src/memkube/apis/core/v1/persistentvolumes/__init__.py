"""PersistentVolumes: pieces of storage that belong to the cluster, not to a namespace."""
