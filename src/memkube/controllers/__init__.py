"""The simulated control plane and node: clients of the registry on an injected clock.

Nothing here knows HTTP or touches storage.
"""
