"""Calls of webhooks that review tokens or requests. The callers of this package interpret the answers."""
