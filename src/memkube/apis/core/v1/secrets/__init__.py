"""Secrets: confidential data by key."""
