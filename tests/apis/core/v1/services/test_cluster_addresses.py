from ipaddress import IPv4Address
from typing import Any

import pytest

from memkube.apimachinery.errors import ApiError
from memkube.registry.declarations.request_options import WriteContext
from tests.apis.core.v1.services.conftest import Network
from tests.server.bootstrap.creating import create

pytestmark = pytest.mark.anyio
DYNAMIC_OF_27 = 14


async def test_chosen_addresses_come_last(network: Network) -> None:
    await network.add_range("small", "10.0.0.0/27")
    chosen = [IPv4Address((await network.serve(f"s{i}"))["clusterIP"]) for i in range(DYNAMIC_OF_27 + 1)]
    assert sorted(chosen[:-1]) == [IPv4Address("10.0.0.17") + i for i in range(DYNAMIC_OF_27)]
    assert IPv4Address("10.0.0.1") <= chosen[-1] <= IPv4Address("10.0.0.16")


async def test_a_full_range_is_an_error_of_the_server(network: Network) -> None:
    await network.add_range("tiny", "10.0.0.0/30")
    assert {(await network.serve(name))["clusterIP"] for name in ("a", "b")} == {"10.0.0.1", "10.0.0.2"}
    with pytest.raises(ApiError) as refused:
        await network.serve("c")
    why = 'failed to allocate a serviceIP for Service "c": range is full'
    assert (refused.value.code, refused.value.message) == (500, f"Internal error occurred: {why}")


async def test_a_second_range_serves_when_the_first_is_full(network: Network) -> None:
    await network.add_range("a", "10.0.0.0/31", "2001:db8::/112")
    await network.add_range("b", "10.1.0.0/30")
    assert (await network.serve("web"))["clusterIP"] in ("10.1.0.1", "10.1.0.2")


async def test_a_range_that_is_going_serves_nobody(network: Network) -> None:
    await network.add_range("held", "10.0.0.0/24", finalizers=["example.com/hold"])
    await network.remove_range("held")
    with pytest.raises(ApiError, match="the provided network does not match the current range"):
        await network.serve("web", clusterIP="10.0.0.9")


async def test_a_range_that_is_not_ready_serves_nobody(network: Network) -> None:
    await network.add_range("late", "10.0.0.0/24")
    store = network.registry.find("networking.k8s.io", "v1", "servicecidrs")

    def unready(service_cidr: Any) -> None:
        condition = {"type": "Ready", "status": "False", "reason": "R", "message": ""}
        service_cidr.status = type(service_cidr.status).from_document({"conditions": [condition]})

    await store.update("late", unready, WriteContext(), subresource="status")
    with pytest.raises(ApiError, match="range is full"):
        await network.serve("web")


@pytest.mark.parametrize("wrong", [{"type": "Nope"}, {"sessionAffinity": "Nope"}, {"ports": []}], ids=str)
async def test_an_address_is_given_back_where_the_write_fails(network: Network, wrong: dict[str, Any]) -> None:
    await network.add_range("only", "10.0.0.0/24")
    with pytest.raises(ApiError):
        await network.serve("web", **wrong)
    assert await network.addresses() == []


async def test_an_address_goes_with_its_service(network: Network) -> None:
    await network.add_range("only", "10.0.0.0/24")
    address = (await network.serve("web"))["clusterIP"]
    assert await network.addresses() == [address]
    await network.remove("web")
    assert await network.addresses() == []


async def test_an_address_goes_when_the_type_has_no_use_for_it(network: Network) -> None:
    await network.add_range("only", "10.0.0.0/24")
    await network.serve("web")
    changed = await network.change("web", type="ExternalName", externalName="web.example.com")
    assert ("clusterIP" in changed, await network.addresses()) == (False, [])


async def test_a_dry_run_takes_nothing_and_knows_the_range(network: Network) -> None:
    await network.add_range("only", "10.0.0.0/24")
    assert (await network.serve("web", dry_run=True))["clusterIP"] == "10.0.0.0"
    with pytest.raises(ApiError) as refused:
        await network.serve("web", dry_run=True, clusterIP="10.0.0.0")
    assert "the provided IP (10.0.0.0) is not in the valid range. The range of valid IPs is 10.0.0.0/24" in str(
        refused.value
    )
    assert await network.addresses() == []


async def test_without_a_range_nothing_is_ready(network: Network) -> None:
    with pytest.raises(ApiError, match="failed to allocate IP: allocator not ready"):
        await network.serve("web", dry_run=True)


async def test_a_headless_service_takes_nothing(network: Network) -> None:
    assert (await network.serve("web", clusterIP="None"))["clusterIPs"] == ["None"]
    assert await network.addresses() == []


async def test_endpoints_go_with_their_service(network: Network) -> None:
    await network.serve("web", clusterIP="None")
    await create(network.registry, ("", "v1", "endpoints"), {"metadata": {"name": "web"}}, "default")
    await network.remove("web")
    with pytest.raises(ApiError, match="not found"):
        await network.registry.find("", "v1", "endpoints").get("default", "web")
