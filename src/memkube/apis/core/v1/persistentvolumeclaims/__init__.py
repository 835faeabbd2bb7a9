"""PersistentVolumeClaims: what storage is asked for."""
