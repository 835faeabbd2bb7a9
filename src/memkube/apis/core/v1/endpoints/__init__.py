"""Endpoints: addresses of a service's backends."""
