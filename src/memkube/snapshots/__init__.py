"""Snapshots: the objects, clock, controllers and simulated nodes of a server, saved to files and restored from them.

Modules of this package must not import HTTP code or the verbs of the API.
"""
