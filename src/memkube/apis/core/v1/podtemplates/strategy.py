"""TODO."""

from memkube.apis.core.v1.podtemplates.types import PodTemplate
from memkube.registry.strategy import Strategy


class PodTemplateStrategy(Strategy[PodTemplate]):
    """TODO."""
