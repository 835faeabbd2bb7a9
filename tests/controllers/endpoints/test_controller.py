from typing import Any

import pytest

from memkube.registry.declarations.request_options import ListOptions
from tests.controllers.cluster import Cluster, running
from tests.controllers.services import CHANGED, backend, endpoints, messages, node, service, serving, subsets

CONTROLLER = "endpoints-controller"
LABELS = {"endpoints.kubernetes.io/managed-by": "endpoint-controller"}

pytestmark = pytest.mark.anyio


async def metadata(cluster: Cluster) -> dict[str, Any]:
    found = await cluster.get("endpoints", "web")
    assert found is not None
    known: dict[str, Any] = found["metadata"]
    return known


async def test_ready_pods_are_addresses_and_others_are_not_ready() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(service())
        first = await cluster.create(backend("a", "10.0.0.9"))
        await cluster.create(backend("b", "10.0.0.10", ready=False))
        target = {"kind": "Pod", "namespace": "default", "name": "a", "uid": first.uid}
        (subset,) = await subsets(cluster)
        assert subset["addresses"] == [{"ip": "10.0.0.9", "nodeName": "n1", "targetRef": target}]
        assert [address["ip"] for address in subset["notReadyAddresses"]] == ["10.0.0.10"]
        assert subset["ports"] == [{"port": 8080, "protocol": "TCP"}]
        assert (await metadata(cluster))["labels"] == LABELS


async def test_a_service_without_a_selector_or_with_an_external_name_has_none() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(service("a", selector={}))
        await cluster.create(service("b", type="ExternalName", externalName="example.com", ports=[]))
        assert [await cluster.get("endpoints", name) for name in "ab"] == [None, None]


@pytest.mark.parametrize(
    "status",
    [{"phase": "Running"}, {**serving("10.0.0.1"), "phase": "Succeeded"}, {**serving("10.0.0.1"), "phase": "Failed"}],
)
async def test_pods_that_have_ended_or_have_no_address_are_left_out(status: dict[str, Any]) -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create({**backend("a", "10.0.0.1"), "status": status})
        await cluster.create(service())
        assert await subsets(cluster) == []


async def test_a_pod_on_a_missing_node_is_an_address() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(service())
        await cluster.create(backend("a", "10.0.0.1", on="missing"))
        assert [address["nodeName"] for address in (await subsets(cluster))[0]["addresses"]] == ["missing"]


async def test_an_empty_node_name_is_refused_by_the_server() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(service())
        await cluster.create(backend("a", "10.0.0.1", on=""))
        assert await subsets(cluster) == []
        (message,) = await messages(cluster, "FailedToUpdateEndpoint")
        start = 'Failed to update endpoint default/web: Endpoints "web" is invalid: '
        assert message.startswith(f'{start}subsets[0].addresses[0].nodeName: Invalid value: "": ')


async def test_terminating_pods_are_left_out_unless_all_are_published() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(service())
        await cluster.create(service("all", publishNotReadyAddresses=True))
        await cluster.create(backend("a", "10.0.0.1", ready=False))
        await cluster.delete("pods", "a")
        assert await subsets(cluster) == []
        assert [address["ip"] for address in (await subsets(cluster, "all"))[0]["addresses"]] == ["10.0.0.1"]


async def test_ports_are_in_the_order_of_their_hashes() -> None:
    async with running(CONTROLLER) as cluster:
        ports = [{"name": name, "port": 80 + index} for index, name in enumerate("abcde")]
        await cluster.create(service(ports=ports))
        await cluster.create(backend("a", "10.0.0.1"))
        (subset,) = await subsets(cluster)
        assert [port["name"] for port in subset["ports"]] == list("ecbad")


async def test_a_named_port_is_that_of_a_container_or_sidecar() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(service(ports=[{"port": 80, "targetPort": "metrics", "appProtocol": "kubernetes.io/h2c"}]))
        port = {"name": "metrics", "containerPort": 9090}
        sidecar = {"name": "s", "image": "nginx", "restartPolicy": "Always", "ports": [port]}
        await cluster.create(backend("a", "10.0.0.1", initContainers=[sidecar]))
        await cluster.create(backend("b", "10.0.0.2", initContainers=[{**sidecar, "restartPolicy": None}]))
        (subset,) = await subsets(cluster)
        assert subset["ports"] == [{"port": 9090, "protocol": "TCP", "appProtocol": "kubernetes.io/h2c"}]
        assert [address["ip"] for address in subset["addresses"]] == ["10.0.0.1"]


async def test_a_headless_service_without_ports_has_addresses() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(service(clusterIP="None", ports=[]))
        await cluster.create(backend("a", "10.0.0.1", hostname="one", subdomain="web"))
        (subset,) = await subsets(cluster)
        assert [address["hostname"] for address in subset["addresses"]] == ["one"]
        assert "ports" not in subset
        assert (await metadata(cluster))["labels"] == {**LABELS, "service.kubernetes.io/headless": ""}


async def test_the_phase_alone_is_no_reason_to_look_again() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(service())
        await cluster.create(backend("a", "10.0.0.1", ready=False))
        status = {**serving("10.0.0.1", ready=False), "phase": "Failed"}
        await cluster.change("pods", "a", subresource="status", status=status)
        assert len(await subsets(cluster)) == 1
        await cluster.change("services", "web", metadata={"annotations": {"any": "change"}})
        assert await subsets(cluster) == []


async def test_the_trigger_time_is_that_of_the_earliest_change() -> None:
    async with running(CONTROLLER) as cluster:
        created = await cluster.create(service())
        assert (await metadata(cluster))["annotations"][CHANGED] == created.document["metadata"]["creationTimestamp"]
        ready = serving("10.0.0.1", lastTransitionTime="2030-01-01T00:00:00Z")
        await cluster.create({**backend("a", "10.0.0.1"), "status": ready})
        assert (await metadata(cluster))["annotations"][CHANGED] == "2030-01-01T00:00:00Z"
        await cluster.create(backend("b", "10.0.0.2"))
        assert "annotations" not in await metadata(cluster)


async def test_labels_of_the_service_replace_those_of_the_endpoints() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(service())
        await cluster.change("endpoints", "web", metadata={"labels": {"mine": "1"}})
        await cluster.change("services", "web", metadata={"labels": {"team": "x"}})
        assert (await metadata(cluster))["labels"] == {**LABELS, "team": "x"}


async def test_endpoints_that_others_delete_are_made_again() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(service())
        await cluster.create(backend("a", "10.0.0.1"))
        await cluster.delete("endpoints", "web")
        assert len(await subsets(cluster)) == 1


async def test_a_deleted_service_takes_all_endpoints_of_its_name_along() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(service(selector={}))
        await cluster.create(endpoints("web", {"addresses": [{"ip": "192.0.2.1"}]}))
        await cluster.delete("services", "web")
        assert await cluster.get("endpoints", "web") is None


async def test_at_most_a_thousand_addresses_are_written() -> None:
    async with running(CONTROLLER) as cluster:
        for number in range(1002):
            await cluster.create(backend(f"p{number}", f"10.0.{number // 250}.{number % 250}", ready=number > 0))
        await cluster.create(service())
        (subset,) = await subsets(cluster)
        assert (len(subset["addresses"]), "notReadyAddresses" in subset) == (1000, False)
        assert (await metadata(cluster))["annotations"]["endpoints.kubernetes.io/over-capacity"] == "truncated"


async def test_a_terminating_namespace_gets_none() -> None:
    async with running(CONTROLLER) as cluster:
        held = {"name": "going", "finalizers": ["example.com/held"]}
        await cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": held})
        await cluster.create(service(), "going")
        await cluster.delete("namespaces", "going")
        await cluster.delete("endpoints", "web", namespace="going")
        await cluster.clock.advance(60)
        assert await cluster.get("endpoints", "web", "going") is None
        assert (await cluster.store("events").list("", ListOptions())).items == []


async def test_nothing_is_written_twice() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(node())
        await cluster.create(service())
        await cluster.create(backend("a", "10.0.0.1"))
        before = (await metadata(cluster))["resourceVersion"]
        await cluster.change("services", "web", metadata={"annotations": {"any": "change"}})
        await cluster.change("pods", "a", metadata={"annotations": {"any": "change"}})
        assert (await metadata(cluster))["resourceVersion"] == before
