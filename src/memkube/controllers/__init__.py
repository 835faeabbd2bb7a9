"""The simulated control plane and nodes: controllers that access objects through the registry.

The controllers use the server's clock. This package knows neither HTTP nor the storage.
"""
