"""The simulated control plane and nodes: controllers that access objects through the registry.

All controllers take the time from the server's clock. This package depends neither on HTTP nor on the storage.
"""
