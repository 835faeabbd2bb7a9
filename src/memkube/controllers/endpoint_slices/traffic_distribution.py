"""Topology hints for Services with ``trafficDistribution`` (``endpointslice/trafficdist``, KEP-4444, KEP-3015)."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.controllers.endpoint_slices.slices import Plan, Slice, is_ready, with_hints

_SAME_NODE: Final = "PreferSameNode"
DISTRIBUTIONS: Final = frozenset({"PreferClose", "PreferSameZone", _SAME_NODE})
"""Values of ``trafficDistribution`` for which endpoints get topology hints."""


def add_hints(distribution: str, plan: Plan, unchanged: list[Slice]) -> None:
    """Set the hints of ready endpoints in new and updated EndpointSlices to the endpoints' own zones and nodes.

    Nodes are only set if `distribution` is PreferSameNode. Slices in `unchanged` with wrong hints are added to the
    updates of `plan`.
    """
    with_nodes = distribution == _SAME_NODE
    plan.update += [each for each in unchanged if _has_wrong_hints(each, with_nodes=with_nodes)]
    for each in (*plan.create, *plan.update):
        each.endpoints = [
            with_hints(endpoint, _hints(endpoint, with_nodes=with_nodes)) if is_ready(endpoint) else endpoint
            for endpoint in each.endpoints
        ]


def _hints(endpoint: Document, *, with_nodes: bool) -> Document | None:
    hints: Document = {}
    if endpoint.get("zone") is not None:
        hints["forZones"] = [{"name": endpoint["zone"]}]
    if with_nodes and endpoint.get("nodeName") is not None:
        hints["forNodes"] = [{"name": endpoint["nodeName"]}]
    return hints or None


def _has_wrong_hints(each: Slice, *, with_nodes: bool) -> bool:
    return any(
        (endpoint.get("hints") or {}) != (_hints(endpoint, with_nodes=with_nodes) or {})
        for endpoint in each.endpoints
        if is_ready(endpoint)
    )
