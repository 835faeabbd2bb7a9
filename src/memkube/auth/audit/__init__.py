"""Roles that would allow the requests in the request log. This package makes no decisions on requests."""
