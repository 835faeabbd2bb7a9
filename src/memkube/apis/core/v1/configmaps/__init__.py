"""ConfigMaps: the smallest kind."""
