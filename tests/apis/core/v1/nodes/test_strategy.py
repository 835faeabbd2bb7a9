from typing import Any

import pytest

from memkube.apimachinery.time import Time
from memkube.apis.core.v1.nodes.resource import selectable_fields
from memkube.apis.core.v1.nodes.strategy import NodeStatusStrategy, NodeStrategy, default_node
from memkube.apis.core.v1.nodes.types import Node

FIRST, SECOND = "10.1.0.0/24", "fd00::/64"


@pytest.mark.parametrize(
    ("spec", "block", "blocks"),
    [
        ({}, "", []),
        ({"podCIDR": FIRST}, FIRST, [FIRST]),
        ({"podCIDRs": [FIRST, SECOND]}, FIRST, [FIRST, SECOND]),
        ({"podCIDR": FIRST, "podCIDRs": [FIRST, SECOND]}, FIRST, [FIRST, SECOND]),
        ({"podCIDR": SECOND, "podCIDRs": [FIRST, SECOND]}, SECOND, [SECOND]),
    ],
)
def test_the_single_block_is_the_first_of_all(spec: dict[str, Any], block: str, blocks: list[str]) -> None:
    node = Node.from_document({"spec": spec})
    default_node(node)
    assert (node.spec.podCIDR, node.spec.podCIDRs) == (block, blocks)


def test_all_resources_are_allocatable_unless_the_node_says_otherwise() -> None:
    plain = Node.from_document({"status": {"capacity": {"cpu": "2"}}})
    reserved = Node.from_document({"status": {"capacity": {"cpu": "2"}, "allocatable": {"cpu": "1"}}})
    default_node(plain)
    default_node(reserved)
    assert (plain.status.allocatable, reserved.status.allocatable) == ({"cpu": "2"}, {"cpu": "1"})


def test_resources_are_rounded_up_to_thousandths() -> None:
    node = Node.from_document({"status": {"capacity": {"cpu": "1u"}, "allocatable": {"cpu": "1500u"}}})
    default_node(node)
    assert (node.status.capacity, node.status.allocatable) == ({"cpu": "1m"}, {"cpu": "2m"})


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
