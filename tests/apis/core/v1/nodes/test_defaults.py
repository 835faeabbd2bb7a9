from typing import Any

import pytest

from memkube.apis.core.v1.nodes.strategy import default_node
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
