"""The REST verbs (get, list, watch, create, update, patch, delete) for objects of any kind.

Modules of this package import neither HTTP code nor the code of a single kind.
"""
