"""Rules for nodes (``pkg/apis/core/validation``)."""

from memkube.apis.core.v1.nodes.validation.node import validate_node, validate_node_update

__all__ = ["validate_node", "validate_node_update"]
