"""PersistentVolumeClaims: requests for storage."""
