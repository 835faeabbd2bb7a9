"""The roles that would have allowed the requests in the request log. Nothing here decides whether one is allowed."""
