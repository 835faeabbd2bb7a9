"""Writes the EndpointSlices of Services that have a selector, and the EndpointSlices that mirror users' Endpoints."""
