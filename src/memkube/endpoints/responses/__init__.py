"""Responses: stored bytes, Lists, Tables, protobuf, YAML and Status bodies.

Nothing here may decide whether a request is allowed or which object it is about.
"""
