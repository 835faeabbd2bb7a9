"""Stored objects, and their conversion between versions.

Modules of this package do not import resources, verbs or strategies.
"""
