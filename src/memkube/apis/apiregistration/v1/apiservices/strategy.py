"""TODO."""

from memkube.apis.apiregistration.v1.apiservices.types import APIService
from memkube.registry.strategy import Strategy


class APIServiceStrategy(Strategy[APIService]):
    """TODO."""


class APIServiceStatusStrategy(APIServiceStrategy):
    """TODO."""
