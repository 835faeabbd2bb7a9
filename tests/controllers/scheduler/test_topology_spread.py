"""Topology spread constraints."""

from typing import Any

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.cluster import Cluster
from tests.controllers.scheduler.scheduling import node, place, pod, refusal, scheduling

pytestmark = pytest.mark.anyio
ZONE = "topology.kubernetes.io/zone"
WEB = {"app": "web"}
NO_MATCH = "node(s) didn't match pod topology spread constraints"


def constraint(key: str = ZONE, **fields: Any) -> Document:
    return {
        "maxSkew": 1,
        "topologyKey": key,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": WEB},
        **fields,
    }


def in_zone(name: str, zone: str, **fields: Any) -> Document:
    return node(name, labels={ZONE: zone}, **fields)


def spread(name: str, *constraints: Document, labels: Document = WEB, **spec: Any) -> Document:
    return pod(name, labels=labels, topologySpreadConstraints=list(constraints), **spec)


async def fill(cluster: Cluster, **pods: int) -> None:
    """Create this number of pods on each node."""
    for name, number in pods.items():
        for index in range(number):
            await cluster.create(pod(f"{name}-{index}", labels=WEB, nodeName=name))


@pytest.mark.parametrize(
    ("pods", "fields", "expected"),
    [
        ({"a": 1}, {}, "b"),
        ({"b": 1}, {}, "a"),
        ({"a": 2, "b": 1}, {}, "b"),
        ({"a": 3, "b": 1}, {"maxSkew": 3}, "b"),
        ({"a": 1, "b": 1}, {"minDomains": 3}, None),
        ({}, {"minDomains": 3}, "a"),
        ({"a": 1, "b": 1}, {"minDomains": 2}, "a"),
        ({"a": 1}, {"labelSelector": {"matchLabels": {"app": "other"}}}, "b"),
        ({"a": 5}, {"whenUnsatisfiable": "ScheduleAnyway"}, "b"),
    ],
)
async def test_zones_are_filled_evenly(pods: dict[str, int], fields: Document, expected: str | None) -> None:
    async with scheduling(in_zone("a", "1"), in_zone("b", "2")) as cluster:
        await fill(cluster, **pods)
        assert await place(cluster, spread("new", constraint(**fields))) == expected
        if expected is None:
            assert await refusal(cluster, "new") == f"0/2 nodes are available: 2 {NO_MATCH}."


async def test_a_node_outside_of_all_places_is_ruled_out() -> None:
    async with scheduling(node("a")) as cluster:
        await cluster.create(spread("new", constraint()))
        assert await refusal(cluster, "new") == f"0/1 nodes are available: 1 {NO_MATCH} (missing required label)."


@pytest.mark.parametrize(
    ("policy", "expected"),
    [({}, "b"), ({"nodeAffinityPolicy": "Honor"}, "b"), ({"nodeAffinityPolicy": "Ignore"}, None)],
)
async def test_nodes_that_the_pod_cannot_have_count_unless_affinity_is_honored(
    policy: Document, expected: str | None
) -> None:
    nodes = [node("b", labels={ZONE: "2", "disk": "ssd"}), in_zone("c", "3")]
    async with scheduling(*nodes) as cluster:
        await fill(cluster, b=1)
        new = spread("new", constraint(**policy), nodeSelector={"disk": "ssd"})
        assert await place(cluster, new) == expected


@pytest.mark.parametrize(
    ("policy", "expected"),
    [({}, None), ({"nodeTaintsPolicy": "Ignore"}, None), ({"nodeTaintsPolicy": "Honor"}, "b")],
)
async def test_tainted_nodes_count_unless_taints_are_honored(policy: Document, expected: str | None) -> None:
    tainted = in_zone("c", "3", spec={"taints": [{"key": "gpu", "effect": "NoSchedule"}]})
    async with scheduling(in_zone("b", "2"), tainted) as cluster:
        await fill(cluster, b=1)
        assert await place(cluster, spread("new", constraint(**policy))) == expected


@pytest.mark.parametrize(("keys", "expected"), [([], "b"), (["version"], "a")])
async def test_only_pods_of_the_same_version_count(keys: list[str], expected: str) -> None:
    async with scheduling(in_zone("a", "1", cpu="8", memory="16Gi"), in_zone("b", "2")) as cluster:
        await cluster.create(pod("old", labels={**WEB, "version": "1"}, nodeName="a"))
        new = spread("new", constraint(matchLabelKeys=keys), labels={**WEB, "version": "2"}, requests={"cpu": "1"})
        assert await place(cluster, new) == expected


async def test_pods_of_other_namespaces_and_terminating_ones_do_not_count() -> None:
    async with scheduling(in_zone("a", "1", cpu="8", memory="16Gi"), in_zone("b", "2")) as cluster:
        await cluster.create(pod("other", labels=WEB, nodeName="a"), "kube-public")
        await fill(cluster, a=1)
        await cluster.delete("pods", "a-0")
        assert await place(cluster, spread("new", constraint(), requests={"cpu": "1"})) == "a"


async def test_a_pod_that_is_deleted_lets_another_in() -> None:
    async with scheduling(in_zone("a", "1"), in_zone("b", "2", cpu="0")) as cluster:
        await fill(cluster, a=1)
        assert await place(cluster, spread("new", constraint(), requests={"cpu": "1"})) is None
        await cluster.delete("pods", "a-0")
        await cluster.store("pods").backend.storage.delete(cluster.store("pods").key("default", "a-0"))
        await cluster.settle()
        assert (await cluster.get("pods", "new") or {})["spec"].get("nodeName") == "a"


async def test_pods_of_a_controller_are_spread_by_default() -> None:
    controller = {
        "apiVersion": "v1",
        "kind": "ReplicationController",
        "metadata": {"name": "web"},
        "spec": {"selector": WEB, "template": {"metadata": {"labels": WEB}, "spec": pod("x")["spec"]}},
    }
    async with scheduling(in_zone("a", "1", cpu="8", memory="16Gi"), in_zone("b", "2")) as cluster:
        stored = await cluster.create(controller)
        owner = {
            "apiVersion": "v1",
            "kind": "ReplicationController",
            "name": "web",
            "uid": stored.uid,
            "controller": True,
        }
        placed = []
        for index in range(2):
            document = pod(f"web-{index}", labels=WEB, requests={"cpu": "1", "memory": "2Gi"})
            document["metadata"]["ownerReferences"] = [owner]
            placed.append(await place(cluster, document))
        assert placed == ["a", "b"]
