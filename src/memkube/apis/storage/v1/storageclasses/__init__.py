"""StorageClasses: named classes of storage."""
