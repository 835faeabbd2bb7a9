"""Keeps the EndpointSlices of Services that have a selector, and those that mirror Endpoints which users create."""
