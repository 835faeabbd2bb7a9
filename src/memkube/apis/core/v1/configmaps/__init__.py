"""ConfigMaps: configuration data by key."""
