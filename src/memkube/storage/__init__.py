"""Revisioned key-value storage. Nothing here may know what the values mean."""
