"""TODO."""

from memkube.apis.networking.v1.ingresses.types import Ingress
from memkube.registry.strategy import Strategy


class IngressStrategy(Strategy[Ingress]):
    """TODO."""


class IngressStatusStrategy(IngressStrategy):
    """TODO."""
