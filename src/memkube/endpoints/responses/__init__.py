"""Writing of responses: stored bytes, Lists, Tables, protobuf, YAML and Status bodies.

Nothing here may decide if a request is allowed or which object it is for.
"""
