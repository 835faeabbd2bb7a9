"""TODO."""

from memkube.apis.networking.v1.ingressclasses.types import IngressClass
from memkube.registry.strategy import Strategy


class IngressClassStrategy(Strategy[IngressClass]):
    """TODO."""
