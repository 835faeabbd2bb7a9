"""Revisioned key-value storage: interface and engines. Modules of this package know nothing about the values."""
