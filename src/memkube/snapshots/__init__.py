"""Saving and restoring the whole state of a server. Modules of this package neither serve HTTP nor use the verbs."""
