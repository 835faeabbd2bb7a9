"""Requests for resources, watches and connections: what the endpoints in `routers` share."""
