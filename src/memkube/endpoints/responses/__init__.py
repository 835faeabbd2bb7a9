"""Responses: stored bytes, lists, Tables, protobuf, YAML and Status bodies.

Modules of this package must not decide whether a request is allowed or which object it concerns.
"""
