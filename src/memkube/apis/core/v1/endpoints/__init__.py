"""Endpoints: the addresses behind a service."""
