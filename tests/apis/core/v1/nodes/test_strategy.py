from typing import Any

from memkube.apimachinery.time import Time
from memkube.apis.core.v1.nodes.resource import selectable_fields
from memkube.apis.core.v1.nodes.strategy import NodeStatusStrategy, NodeStrategy
from memkube.apis.core.v1.nodes.types import Node


def node(**fields: Any) -> Node:
    return Node.from_document({"metadata": {"name": "a"}, **fields})


def test_a_new_node_brings_its_status_but_no_configuration() -> None:
    new = node(spec={"configSource": {}}, status={"phase": "Running", "config": {}})
    NodeStrategy().prepare_for_create(new, Time("2026-01-01T00:00:00Z"))
    assert new == node(status={"phase": "Running"})


def test_the_status_changes_on_its_own_path_only() -> None:
    old = node(spec={"providerID": "x"}, status={"phase": "Running"})
    new = node(spec={"providerID": "y"}, status={"phase": "Pending"})
    NodeStrategy().prepare_for_update(new, old)
    assert (new.spec.providerID, new.status.phase) == ("y", "Running")
    new = node(spec={"providerID": "y"}, status={"phase": "Pending"})
    NodeStatusStrategy().prepare_for_update(new, old)
    assert (new.spec.providerID, new.status.phase) == ("x", "Pending")


def test_unusual_blocks_and_old_fields_warn() -> None:
    assert NodeStrategy().warnings_on_create(node(spec={"externalID": "x", "podCIDRs": ["FD00::/64"]})) == [
        "spec.externalID: this field is deprecated, and is unused by Kubernetes",
        'spec.podCIDRs[0]: IPv6 CIDR value "FD00::/64" should be in RFC 5952 canonical format ("fd00::/64")',
    ]


def test_nodes_are_selected_by_whether_they_take_pods() -> None:
    assert selectable_fields(node().to_document())["spec.unschedulable"] == "false"
    assert selectable_fields(node(spec={"unschedulable": True}).to_document())["spec.unschedulable"] == "true"
