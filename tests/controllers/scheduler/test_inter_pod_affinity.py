"""Affinity and anti-affinity between pods."""

from typing import Any

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.scheduler.scheduling import node, place, pod, refusal, scheduling

pytestmark = pytest.mark.anyio
ZONE = "topology.kubernetes.io/zone"
WEB = {"app": "web"}
CACHE = {"app": "cache"}
NODES = [node("a", labels={ZONE: "1"}), node("b", labels={ZONE: "1"}), node("c", labels={ZONE: "2"})]


def term(labels: Document, key: str = "kubernetes.io/hostname", **fields: Any) -> Document:
    return {"labelSelector": {"matchLabels": labels}, "topologyKey": key, **fields}


def near(*terms: Document) -> Document:
    return {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": list(terms)}}


def far(*terms: Document) -> Document:
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": list(terms)}}


def wish(kind: str, weight: int, wanted: Document) -> Document:
    return {kind: {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": weight, "podAffinityTerm": wanted}]}}


@pytest.mark.parametrize(
    ("affinity", "expected"),
    [
        (near(term(CACHE)), "b"),
        (near(term(CACHE, ZONE)), "a"),
        (far(term(CACHE)), "a"),
        (far(term(CACHE, ZONE)), "c"),
        (near(term(CACHE), term(CACHE, ZONE)), "b"),
        (near(term(CACHE, namespaces=["default"])), "b"),
        (near(term(CACHE, namespaceSelector={})), "b"),
        (near(term(CACHE, namespaceSelector={"matchLabels": {"kubernetes.io/metadata.name": "default"}})), "b"),
        (far(term(CACHE, namespaces=["kube-system"])), "a"),
        (wish("podAffinity", 100, term(CACHE)), "b"),
        (wish("podAntiAffinity", 100, term(CACHE, ZONE)), "c"),
    ],
)
async def test_pods_keep_to_their_neighbours(affinity: Document, expected: str) -> None:
    async with scheduling(*NODES) as cluster:
        await cluster.create(pod("cache", labels=CACHE, nodeName="b"))
        assert await place(cluster, pod("web", affinity=affinity)) == expected


@pytest.mark.parametrize(
    ("affinity", "reason"),
    [
        (near(term({"app": "absent"})), "node(s) didn't match pod affinity rules"),
        (near(term(CACHE, namespaces=["kube-system"])), "node(s) didn't match pod affinity rules"),
        (near(term(CACHE, "no-such-label")), "node(s) didn't match pod affinity rules"),
        (far(term(CACHE, ZONE)), "node(s) didn't match pod anti-affinity rules"),
    ],
)
async def test_a_pod_without_the_right_neighbours_waits(affinity: Document, reason: str) -> None:
    async with scheduling(NODES[0]) as cluster:
        await cluster.create(pod("cache", labels=CACHE, nodeName="a"))
        assert await place(cluster, pod("web", affinity=affinity)) is None
        assert await refusal(cluster, "web") == f"0/1 nodes are available: 1 {reason}."


async def test_pods_that_are_there_keep_others_away() -> None:
    async with scheduling(NODES[0]) as cluster:
        await cluster.create(pod("cache", affinity=far(term(WEB)), nodeName="a"))
        assert await place(cluster, pod("web", labels=WEB)) is None
        reason = "node(s) didn't satisfy existing pods anti-affinity rules"
        assert await refusal(cluster, "web") == f"0/1 nodes are available: 1 {reason}."


@pytest.mark.parametrize(
    ("there", "expected"),
    [
        (wish("podAffinity", 100, term(WEB)), "b"),
        (near(term(WEB)), "b"),
        (wish("podAntiAffinity", 100, term(WEB, ZONE)), "c"),
    ],
)
async def test_what_pods_that_are_there_wish_counts(there: Document, expected: str) -> None:
    async with scheduling(*NODES) as cluster:
        await cluster.create(pod("cache", affinity=there, nodeName="b"))
        assert await place(cluster, pod("web", labels=WEB)) == expected


async def test_the_first_of_several_is_let_in() -> None:
    async with scheduling(*NODES) as cluster:
        placed = [await place(cluster, pod(f"web-{i}", labels=WEB, affinity=near(term(WEB)))) for i in range(2)]
        assert placed == ["a", "a"]


async def test_pods_that_stay_apart_fill_one_node_each() -> None:
    async with scheduling(*NODES) as cluster:
        placed = [await place(cluster, pod(f"web-{i}", labels=WEB, affinity=far(term(WEB)))) for i in range(4)]
        assert placed == ["a", "b", "c", None]


@pytest.mark.parametrize(
    ("keys", "expected"), [({"matchLabelKeys": ["version"]}, "b"), ({"mismatchLabelKeys": ["version"]}, "a")]
)
async def test_versions_are_told_apart(keys: Document, expected: str) -> None:
    async with scheduling(*NODES) as cluster:
        for name, version in (("a", "1"), ("b", "2")):
            await cluster.create(pod(f"old-{name}", labels={**WEB, "version": version}, nodeName=name))
        new = pod("new", labels={**WEB, "version": "2"}, affinity=near(term(WEB, **keys)))
        assert await place(cluster, new) == expected


async def test_a_pod_is_tried_again_when_its_friend_arrives() -> None:
    async with scheduling(*NODES) as cluster:
        assert await place(cluster, pod("web", affinity=near(term(CACHE)))) is None
        await cluster.create(pod("cache", labels=CACHE, nodeName="c"))
        assert (await cluster.get("pods", "web") or {})["spec"].get("nodeName") == "c"


@pytest.mark.parametrize("affinity", [far(term(CACHE, "disk")), wish("podAntiAffinity", 1, term(CACHE, "disk"))])
async def test_a_node_without_a_label_is_not_in_the_topology_of_an_empty_label(affinity: Document) -> None:
    async with scheduling(node("a", labels={"disk": ""}), node("b", cpu="3")) as cluster:
        await cluster.create(pod("cache", labels=CACHE, nodeName="a"))
        await cluster.create(pod("other", nodeName="b"))
        assert await place(cluster, pod("web", affinity=affinity)) == "b"


async def test_an_existing_pod_keeps_no_pod_from_nodes_without_its_topology_key() -> None:
    async with scheduling(node("a", labels={"disk": ""}), node("b")) as cluster:
        await cluster.create(pod("shy", affinity=far(term(WEB, "disk")), nodeName="a"))
        assert await place(cluster, pod("web", labels=WEB)) == "b"
