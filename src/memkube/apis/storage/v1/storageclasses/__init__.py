"""StorageClasses: sorts of storage."""
