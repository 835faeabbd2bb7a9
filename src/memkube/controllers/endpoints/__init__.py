"""Writes the Endpoints of Services that have a selector, and indexes the pods that Services select."""
