"""Webhook configurations: whom to ask before a write."""
