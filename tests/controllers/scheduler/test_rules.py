"""Filter rules for nodes, and the messages of pods that fit no node."""

from typing import Any

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.scheduler.scheduling import node, node_of, place, pod, refusal, scheduling

pytestmark = pytest.mark.anyio
NO_MATCH = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector."


def required(*terms: Document) -> Document:
    selector = {"nodeSelectorTerms": list(terms)}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": selector}}


def expression(key: str, operator: str, *values: str) -> Document:
    return {"matchExpressions": [{"key": key, "operator": operator, **({"values": list(values)} if values else {})}]}


def name_is(operator: str, value: str) -> Document:
    return {"matchFields": [{"key": "metadata.name", "operator": operator, "values": [value]}]}


@pytest.mark.parametrize(
    ("term", "fits"),
    [
        (expression("disk", "In", "ssd", "hdd"), True),
        (expression("disk", "In", "hdd"), False),
        (expression("disk", "NotIn", "hdd"), True),
        (expression("disk", "NotIn", "ssd"), False),
        (expression("gpu", "NotIn", "yes"), True),
        (expression("disk", "Exists"), True),
        (expression("gpu", "Exists"), False),
        (expression("gpu", "DoesNotExist"), True),
        (expression("disk", "DoesNotExist"), False),
        (expression("cores", "Gt", "7"), True),
        (expression("cores", "Gt", "8"), False),
        (expression("cores", "Lt", "9"), True),
        (expression("cores", "Lt", "8"), False),
        (expression("disk", "Gt", "1"), False),
        (name_is("In", "a"), True),
        (name_is("NotIn", "a"), False),
        (name_is("NotIn", "b"), True),
        ({}, False),
        ({**expression("disk", "In", "ssd"), **name_is("In", "a")}, True),
        ({**expression("disk", "In", "hdd"), **name_is("In", "a")}, False),
    ],
)
async def test_node_affinity_is_required(term: Document, fits: bool) -> None:
    async with scheduling(node("a", labels={"disk": "ssd", "cores": "8"})) as cluster:
        assert await place(cluster, pod("web", affinity=required(term))) == ("a" if fits else None)
        if not fits:
            assert await refusal(cluster, "web") == NO_MATCH


async def test_one_term_of_several_is_enough() -> None:
    terms = required(expression("disk", "In", "hdd"), expression("disk", "In", "ssd"))
    async with scheduling(node("a", labels={"disk": "ssd"})) as cluster:
        assert await place(cluster, pod("web", affinity=terms)) == "a"


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ([name_is("In", "b")], "3 node(s) didn't satisfy plugin(s) [NodeAffinity]."),
        (
            [{**name_is("In", "a"), **expression("disk", "In", "ssd")}],
            "1 node(s) didn't match Pod's node affinity/selector, 2 node(s) didn't satisfy plugin(s) [NodeAffinity].",
        ),
        (
            [{"matchFields": [*name_is("In", "a")["matchFields"], *name_is("In", "c")["matchFields"]]}],
            "pod affinity terms conflict. not found",
        ),
    ],
)
async def test_nodes_that_are_not_named_do_not_come_into_question(terms: list[Document], message: str) -> None:
    async with scheduling(node("a"), node("c"), node("d")) as cluster:
        await cluster.create(pod("web", affinity=required(*terms)))
        assert await refusal(cluster, "web") == f"0/3 nodes are available: {message}"


@pytest.mark.parametrize(("selector", "fits"), [({"disk": "ssd"}, True), ({"disk": "ssd", "gpu": "yes"}, False)])
async def test_the_node_selector_must_match(selector: Document, fits: bool) -> None:
    async with scheduling(node("a", labels={"disk": "ssd"})) as cluster:
        assert await place(cluster, pod("web", nodeSelector=selector)) == ("a" if fits else None)
        if not fits:
            assert await refusal(cluster, "web") == NO_MATCH


@pytest.mark.parametrize(
    ("effect", "toleration", "fits"),
    [
        ("NoSchedule", None, False),
        ("NoExecute", None, False),
        ("PreferNoSchedule", None, True),
        ("NoSchedule", {"key": "gpu", "operator": "Exists"}, True),
        ("NoSchedule", {"key": "gpu", "operator": "Equal", "value": "yes"}, True),
        ("NoSchedule", {"key": "gpu", "value": "yes", "effect": "NoSchedule"}, True),
        ("NoSchedule", {"key": "gpu", "operator": "Equal", "value": "no"}, False),
        ("NoSchedule", {"key": "gpu", "operator": "Exists", "effect": "NoExecute"}, False),
        ("NoSchedule", {"key": "cpu", "operator": "Exists"}, False),
        ("NoExecute", {"operator": "Exists"}, True),
    ],
)
async def test_taints_must_be_tolerated(effect: str, toleration: Document | None, fits: bool) -> None:
    spec: dict[str, Any] = {"tolerations": [toleration]} if toleration else {}
    async with scheduling(node("a", spec={"taints": [{"key": "gpu", "value": "yes", "effect": effect}]})) as cluster:
        assert await place(cluster, pod("web", **spec)) == ("a" if fits else None)
        if not fits:
            assert await refusal(cluster, "web") == "0/1 nodes are available: 1 node(s) had untolerated taint(s)."


@pytest.mark.parametrize(
    ("tolerations", "message"),
    [
        ([], "1 node(s) were unschedulable"),
        ([{"key": "node.kubernetes.io/unschedulable", "operator": "Exists", "effect": "NoSchedule"}], None),
    ],
)
async def test_cordoned_nodes_take_no_pods(tolerations: list[Document], message: str | None) -> None:
    async with scheduling(node("a", spec={"unschedulable": True})) as cluster:
        assert await place(cluster, pod("web", tolerations=tolerations)) == (None if message else "a")
        if message:
            assert await refusal(cluster, "web") == f"0/1 nodes are available: {message}."


def with_port(name: str, **port: Any) -> Document:
    document = pod(name)
    document["spec"]["containers"][0]["ports"] = [{"containerPort": 80, **port}]
    return document


@pytest.mark.parametrize(
    ("taken", "wanted", "fits"),
    [
        ({"hostPort": 80}, {"hostPort": 80}, False),
        ({"hostPort": 80}, {"hostPort": 81}, True),
        ({"hostPort": 80}, {}, True),
        ({"hostPort": 80}, {"hostPort": 80, "protocol": "UDP"}, True),
        ({"hostPort": 80, "hostIP": "10.0.0.1"}, {"hostPort": 80, "hostIP": "10.0.0.2"}, True),
        ({"hostPort": 80, "hostIP": "10.0.0.1"}, {"hostPort": 80, "hostIP": "10.0.0.1"}, False),
        ({"hostPort": 80, "hostIP": "10.0.0.1"}, {"hostPort": 80}, False),
        ({"hostPort": 80}, {"hostPort": 80, "hostIP": "10.0.0.1"}, False),
    ],
)
async def test_host_ports_are_taken_once(taken: Document, wanted: Document, fits: bool) -> None:
    async with scheduling(node("a")) as cluster:
        await cluster.create(with_port("first", **taken))
        assert await place(cluster, with_port("second", **wanted)) == ("a" if fits else None)
        if not fits:
            message = "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports."
            assert await refusal(cluster, "second") == message


@pytest.mark.parametrize(
    ("volume", "why"),
    [
        ({"persistentVolumeClaim": {"claimName": "data"}}, 'persistentvolumeclaim "data" not found'),
        (
            {
                "ephemeral": {
                    "volumeClaimTemplate": {
                        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
                    }
                }
            },
            'waiting for ephemeral volume controller to create the persistentvolumeclaim "web-v"',
        ),
    ],
)
async def test_claims_are_missing(volume: Document, why: str) -> None:
    async with scheduling(node("a")) as cluster:
        await cluster.create(pod("web", volumes=[{"name": "v", **volume}]))
        assert await refusal(cluster, "web") == f"0/1 nodes are available: {why}. not found"


async def test_reasons_are_counted() -> None:
    tainted = {"taints": [{"key": "gpu", "effect": "NoSchedule"}]}
    nodes = [node("a"), node("b", spec=tainted), node("c", spec=tainted), node("d", memory="1Gi")]
    async with scheduling(*nodes) as cluster:
        await cluster.create(pod("web", requests={"cpu": "5", "memory": "2Gi"}))
        message = (
            "0/4 nodes are available: 1 Insufficient memory, 2 Insufficient cpu, 2 node(s) had untolerated taint(s)."
        )
        assert await refusal(cluster, "web") == message


RESTARTING = {
    "name": "app",
    "image": "nginx:1.27",
    "restartPolicy": "Never",
    "restartPolicyRules": [{"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [1]}}],
}


async def test_a_pod_waits_for_a_node_that_declares_the_features_it_needs() -> None:
    async with scheduling(node("a")) as cluster:
        await cluster.create(pod("web", containers=[RESTARTING]))
        assert (
            await refusal(cluster, "web") == "0/1 nodes are available: 1 node(s) didn't match Pod's required features."
        )
        status = {**node("a")["status"], "declaredFeatures": ["RestartAllContainersOnContainerExits"]}
        await cluster.change("nodes", "a", subresource="status", status=status)
        assert await node_of(cluster, "web") == "a"
