"""StorageClasses: kinds of storage that claims choose by name, and how their volumes are provisioned."""
