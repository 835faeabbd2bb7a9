"""The simulated control plane and nodes: controllers that access objects through the registry.

Their clock is that of the server. This package knows neither HTTP nor the storage.
"""
