"""TODO."""

from memkube.apis.networking.v1.networkpolicies.types import NetworkPolicy
from memkube.registry.strategy import Strategy


class NetworkPolicyStrategy(Strategy[NetworkPolicy]):
    """TODO."""
