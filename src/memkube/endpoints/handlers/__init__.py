"""Requests for resources, watches and connections: what the endpoints of the routers have in common."""
