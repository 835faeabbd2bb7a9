import pytest

from tests.controllers.cluster import Cluster, running
from tests.controllers.services import backend, messages, node, service, serving, slices

CONTROLLER = "endpointslice-controller"
AUTO = {"service.kubernetes.io/topology-mode": "Auto"}
OVERLOADED = "Unable to allocate minimum required endpoints to each zone without exceeding overload threshold"
ENABLED = "Topology Aware Hints has been enabled, addressType: IPv4"

pytestmark = pytest.mark.anyio


async def hints(cluster: Cluster) -> dict[str, str]:
    """Return the zones and nodes in the hints of each endpoint, by the name of its pod."""
    return {
        endpoint["targetRef"]["name"]: " ".join(
            each["name"] for each in [each for names in (endpoint.get("hints") or {}).values() for each in names]
        )
        for stored in await slices(cluster)
        for endpoint in stored.document["endpoints"] or ()
    }


async def zones(cluster: Cluster, **cpus: str) -> None:
    """Create a node in each zone, with the CPUs that are given."""
    for zone, cpu in cpus.items():
        await cluster.create(node(f"in-{zone}", zone, cpu))


async def pods(cluster: Cluster, *places: str) -> None:
    """Create ready pods ``0``, ``1``… in the given zones."""
    for number, zone in enumerate(places):
        await cluster.create(backend(str(number), f"10.0.0.{number + 1}", f"in-{zone}"))


@pytest.mark.parametrize(
    ("distribution", "expected"),
    [("PreferClose", "a"), ("PreferSameZone", "a"), ("PreferSameNode", "a in-a"), (None, "")],
)
async def test_traffic_distribution_hints_at_the_zone_or_node(distribution: str | None, expected: str) -> None:
    async with running(CONTROLLER) as cluster:
        await zones(cluster, a="")
        await cluster.create(service(trafficDistribution=distribution))
        await pods(cluster, "a")
        assert await hints(cluster) == {"0": expected}


async def test_endpoints_that_are_not_ready_get_no_hints() -> None:
    async with running(CONTROLLER) as cluster:
        await zones(cluster, a="")
        await cluster.create(service(trafficDistribution="PreferClose"))
        await cluster.create(backend("0", "10.0.0.1", "in-a", ready=False))
        assert await hints(cluster) == {"0": ""}


async def test_hints_go_with_the_traffic_distribution() -> None:
    async with running(CONTROLLER) as cluster:
        await zones(cluster, a="")
        await pods(cluster, "a")
        await cluster.create(service(trafficDistribution="PreferSameNode"))
        for distribution, expected in (("PreferClose", "a"), (None, "")):
            spec = {**service()["spec"], "trafficDistribution": distribution}
            await cluster.change("services", "web", spec=spec)
            assert await hints(cluster) == {"0": expected}


async def test_topology_mode_gives_each_zone_endpoints_for_its_share_of_cpus() -> None:
    async with running(CONTROLLER) as cluster:
        await zones(cluster, a="1", b="1")
        await pods(cluster, "a", "a", "a", "a")
        await cluster.create({**service(), "metadata": {"name": "web", "annotations": AUTO}})
        assert sorted((await hints(cluster)).values()) == ["a", "a", "b", "b"]
        assert await messages(cluster, "TopologyAwareHintsEnabled") == [ENABLED]


@pytest.mark.parametrize(
    ("cpus", "places", "problem"),
    [
        ({}, (), "Nodes only ready in one zone"),
        (
            {"a": "1", "b": ""},
            ("a", "b"),
            "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes",
        ),
        ({"a": "1", "b": "1", "c": "1"}, ("a", "b"), "Insufficient number of endpoints (2 endpoints, 3 zones)"),
        (
            {"a": "3", "b": "2"},
            ("a", "b", "a"),
            f"{OVERLOADED} (3 endpoints, 2 zones)",
        ),
    ],
)
async def test_without_enough_nodes_or_endpoints_there_are_no_hints(
    cpus: dict[str, str], places: tuple[str, ...], problem: str
) -> None:
    async with running(CONTROLLER) as cluster:
        await zones(cluster, **cpus)
        await pods(cluster, *places)
        await cluster.create({**service(), "metadata": {"name": "web", "annotations": AUTO}})
        assert not any((await hints(cluster)).values())
        assert await messages(cluster, "TopologyAwareHintsDisabled") == [f"{problem}, addressType: IPv4"]


async def test_hints_are_removed_with_the_annotation() -> None:
    async with running(CONTROLLER) as cluster:
        await zones(cluster, a="1", b="1")
        await pods(cluster, "a", "b")
        await cluster.create({**service(), "metadata": {"name": "web", "annotations": AUTO}})
        assert await hints(cluster) == {"0": "a", "1": "b"}
        await cluster.change("services", "web", metadata={"annotations": {}})
        assert await hints(cluster) == {"0": "", "1": ""}
        told = "Topology Aware Hints has been disabled, addressType: IPv4"
        assert await messages(cluster, "TopologyAwareHintsDisabled") == [told]


async def test_a_new_zone_makes_services_count_again() -> None:
    async with running(CONTROLLER) as cluster:
        await zones(cluster, a="1", b="1")
        await pods(cluster, "a", "a", "b", "b")
        await cluster.create({**service(), "metadata": {"name": "web", "annotations": AUTO}})
        await zones(cluster, c="2")
        counts = list((await hints(cluster)).values())
        assert {zone: counts.count(zone) for zone in counts} == {"a": 1, "b": 1, "c": 2}


async def test_a_node_of_the_control_plane_does_not_count() -> None:
    async with running(CONTROLLER) as cluster:
        await zones(cluster, a="1")
        await cluster.create(node("in-b", "b", "1", role="control-plane"))
        await pods(cluster, "a", "b")
        await cluster.create({**service(), "metadata": {"name": "web", "annotations": AUTO}})
        assert not any((await hints(cluster)).values())


async def test_an_endpoint_without_a_zone_takes_all_hints_away() -> None:
    async with running(CONTROLLER) as cluster:
        await zones(cluster, a="1", b="1")
        await cluster.create(node("in-c", ready=False))
        await pods(cluster, "a", "b", "c", "a")
        await cluster.create({**service(), "metadata": {"name": "web", "annotations": AUTO}})
        assert not any((await hints(cluster)).values())
        problem = "One or more endpoints do not have a zone specified, addressType: IPv4"
        assert await messages(cluster, "TopologyAwareHintsDisabled") == [problem]
        await cluster.change("pods", "2", subresource="status", status=serving("10.0.0.3", ready=False))
        assert not any((await hints(cluster)).values())
        await cluster.create(backend("4", "10.0.0.5", "in-b"))
        assert await hints(cluster) == {"0": "a", "1": "b", "2": "", "3": "a", "4": "b"}
