"""Common code of the endpoints in `routers`: requests for resources, watches and connections."""
