"""TODO."""

from memkube.apis.flowcontrol.v1.flowschemas.types import FlowSchema
from memkube.registry.strategy import Strategy


class FlowSchemaStrategy(Strategy[FlowSchema]):
    """TODO."""


class FlowSchemaStatusStrategy(FlowSchemaStrategy):
    """TODO."""
