"""Saving and restoring the whole state of a server.

Modules of this package must not import HTTP code or the verbs of the API.
"""
