"""Revisioned key-value storage: the contract and its engines. Nothing here may know what the values mean."""
