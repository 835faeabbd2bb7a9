"""Secrets: confidential data."""
