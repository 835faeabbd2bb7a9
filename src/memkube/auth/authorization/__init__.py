"""Authorizers, which decide whether a user may make a request."""
