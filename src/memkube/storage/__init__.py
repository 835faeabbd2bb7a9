"""Revisioned key-value storage: the interface and the engines.

Modules of this package do not depend on the type of the values.
"""
