"""Roles that would have allowed the requests in the request log. Nothing here decides if a request is allowed."""
