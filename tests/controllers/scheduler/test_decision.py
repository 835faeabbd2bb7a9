"""Scores by which the scheduler prefers one node to another."""

from typing import Any

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.scheduler.scheduling import node, place, pod, scheduling

pytestmark = pytest.mark.anyio
MEBIBYTE = 1024 * 1024


def prefers(*wishes: tuple[int, str]) -> Document:
    preferred = [
        {"weight": weight, "preference": {"matchExpressions": [{"key": "disk", "operator": "In", "values": [disk]}]}}
        for weight, disk in wishes
    ]
    return {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}}


def with_image(name: str, size: int) -> Document:
    document = node(name)
    document["status"]["images"] = [{"names": ["nginx:1.27"], "sizeBytes": size}]
    return document


@pytest.mark.parametrize(
    ("nodes", "spec", "expected"),
    [
        ([node("a"), node("b", labels={"disk": "ssd"})], {"affinity": prefers((1, "ssd"))}, "b"),
        (
            [node("a", labels={"disk": "hdd"}), node("b", labels={"disk": "ssd"})],
            {"affinity": prefers((10, "hdd"), (20, "ssd"))},
            "b",
        ),
        ([node("a", spec={"taints": [{"key": "busy", "effect": "PreferNoSchedule"}]}), node("b")], {}, "b"),
        (
            [node("a", spec={"taints": [{"key": "busy", "effect": "PreferNoSchedule"}]}), node("b")],
            {"tolerations": [{"key": "busy", "operator": "Exists"}]},
            "a",
        ),
        ([node("a"), with_image("b", 900 * MEBIBYTE)], {}, "b"),
        ([node("a"), with_image("b", 10 * MEBIBYTE)], {}, "a"),
        ([node("a"), with_image("b", 10 * MEBIBYTE), with_image("c", 900 * MEBIBYTE)], {}, "a"),
    ],
)
async def test_some_nodes_are_better(nodes: list[Document], spec: dict[str, Any], expected: str) -> None:
    async with scheduling(*nodes) as cluster:
        assert await place(cluster, pod("web", **spec)) == expected


async def test_a_node_whose_use_becomes_more_even_is_better() -> None:
    async with scheduling(node("a"), node("b")) as cluster:
        await cluster.create(pod("cpu", requests={"cpu": "2", "memory": "0"}, nodeName="a"))
        await cluster.create(pod("memory", requests={"cpu": "0", "memory": "4Gi"}, nodeName="b"))
        assert await place(cluster, pod("web", requests={"cpu": "1", "memory": "0"})) == "b"
