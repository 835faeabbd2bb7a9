from typing import Any

import pytest

from memkube.apimachinery.errors import ApiError
from memkube.apis.core.v1.services.node_ports import NodePorts, PortOperation, PortRefused
from tests.apis.core.v1.services.conftest import Network

FIRST, LAST, DYNAMIC = 30_000, 32_767, 30_086
LOCAL: dict[str, Any] = {"type": "LoadBalancer", "externalTrafficPolicy": "Local", "healthCheckNodePort": 30_008}


@pytest.fixture
async def served(network: Network) -> Network:
    await network.add_range("only", "10.0.0.0/24")
    return network


def ports(spec: dict[str, Any]) -> list[int]:
    return [port.get("nodePort", 0) for port in spec["ports"]]


@pytest.mark.anyio
async def test_chosen_ports_come_last_and_then_there_are_none() -> None:
    all_ports = NodePorts()
    dynamic = {await all_ports.take_any() for _ in range(LAST - DYNAMIC + 1)}
    static = {await all_ports.take_any() for _ in range(DYNAMIC - FIRST)}
    assert (min(dynamic), max(dynamic), min(static), max(static)) == (DYNAMIC, LAST, FIRST, DYNAMIC - 1)
    with pytest.raises(PortRefused, match="range is full"):
        await all_ports.take_any()


@pytest.mark.anyio
@pytest.mark.parametrize("port", [FIRST - 1, LAST + 1, -1])
async def test_a_port_outside_of_the_range_is_refused(port: int) -> None:
    with pytest.raises(PortRefused, match="The range of valid ports is 30000-32767"):
        await NodePorts().take(port)


@pytest.mark.anyio
async def test_what_a_write_took_is_given_back_where_it_fails() -> None:
    all_ports = NodePorts()
    operation = PortOperation(all_ports, dry_run=False)
    await operation.take(FIRST)
    operation.release([LAST])
    await all_ports.take(LAST)
    await operation.finish(False)
    assert (all_ports.is_taken(FIRST), all_ports.is_taken(LAST)) == (False, True)


@pytest.mark.anyio
async def test_a_dry_run_guesses_beyond_the_range() -> None:
    operation = PortOperation(NodePorts(), dry_run=True)
    assert [await operation.take_any(), await operation.take_any()] == [32_769, 32_770]


@pytest.mark.anyio
async def test_a_dry_run_takes_no_port_twice() -> None:
    operation = PortOperation(NodePorts(), dry_run=True)
    await operation.take(FIRST)
    with pytest.raises(PortRefused, match="provided port is already allocated"):
        await operation.take(FIRST)


@pytest.mark.anyio
async def test_protocols_of_a_port_share_its_node_port(served: Network) -> None:
    both = [{"name": "t", "port": 53}, {"name": "u", "port": 53, "protocol": "UDP"}]
    first, second = ports(await served.serve("dns", type="NodePort", ports=both))
    assert first == second != 0


@pytest.mark.anyio
async def test_ports_are_given_back_where_the_write_fails(served: Network) -> None:
    chosen = [{"port": 80, "nodePort": 30_007}]
    with pytest.raises(ApiError):
        await served.serve("web", type="NodePort", ports=chosen, sessionAffinity="Nope")
    assert ports(await served.serve("web", type="NodePort", ports=chosen)) == [30_007]


@pytest.mark.anyio
async def test_a_taken_port_is_told_where_it_stands(served: Network) -> None:
    chosen = [{"name": "a", "port": 80, "nodePort": 30_007}]
    await served.serve("one", type="NodePort", ports=chosen)
    with pytest.raises(ApiError) as refused:
        await served.serve("two", type="NodePort", ports=[{"name": "b", "port": 81}, *chosen])
    why = "spec.ports[1].nodePort: Invalid value: 30007: provided port is already allocated"
    assert refused.value.message == f'Service "two" is invalid: {why}'


@pytest.mark.anyio
async def test_a_port_of_health_checks_that_is_taken_is_an_error_of_the_server(served: Network) -> None:
    await served.serve("one", **LOCAL)
    with pytest.raises(ApiError) as refused:
        await served.serve("two", **LOCAL)
    why = "failed to allocate requested HealthCheck NodePort 30008: provided port is already allocated"
    assert (refused.value.code, refused.value.message) == (500, f"Internal error occurred: {why}")


@pytest.mark.anyio
async def test_a_port_of_health_checks_goes_with_its_service(served: Network) -> None:
    await served.serve("one", **LOCAL)
    await served.remove("one")
    assert (await served.serve("two", **LOCAL))["healthCheckNodePort"] == 30_008


@pytest.mark.anyio
async def test_without_ports_on_nodes_chosen_ones_are_heeded_all_the_same(served: Network) -> None:
    two = [{"name": "a", "port": 80, "nodePort": 30_009}, {"name": "b", "port": 81}]
    made = await served.serve("web", type="LoadBalancer", allocateLoadBalancerNodePorts=False, ports=two)
    assert ports(made) == [30_009, 0]


@pytest.mark.anyio
async def test_a_port_that_an_update_leaves_out_is_free(served: Network) -> None:
    await served.serve("one", type="NodePort", ports=[{"port": 80, "nodePort": 30_010}])
    await served.change("one", type="ClusterIP")
    assert ports(await served.serve("two", type="NodePort", ports=[{"port": 80, "nodePort": 30_010}])) == [30_010]
