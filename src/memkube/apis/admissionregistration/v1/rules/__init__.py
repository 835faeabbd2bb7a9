"""Types and validation of request matching, shared by webhooks and policies."""
