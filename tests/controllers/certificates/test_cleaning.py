import pytest

from tests.controllers.certificates.signing_requests import create, decide, request_pem
from tests.controllers.cluster import Cluster, running

pytestmark = pytest.mark.anyio
CLEANER = "certificatesigningrequest-cleaner-controller"
SIGNER = "certificatesigningrequest-signing-controller"
HOUR = 3600


async def exists(cluster: Cluster) -> bool:
    return await cluster.get("certificatesigningrequests", "r", "") is not None


async def test_a_request_without_a_decision_is_deleted_after_a_day() -> None:
    async with running(CLEANER) as cluster:
        await create(cluster, request_pem())
        await cluster.clock.advance(23 * HOUR)
        assert await exists(cluster)
        await cluster.clock.advance(3 * HOUR)
        assert not await exists(cluster)


async def test_a_denied_request_is_deleted_after_an_hour() -> None:
    async with running(CLEANER) as cluster:
        await create(cluster, request_pem())
        await decide(cluster, "Denied")
        await cluster.clock.advance(HOUR)
        assert await exists(cluster)
        await cluster.clock.advance(2 * HOUR)
        assert not await exists(cluster)


async def test_an_approved_request_is_deleted_a_day_after_it_was_approved() -> None:
    async with running(CLEANER) as cluster:
        await create(cluster, request_pem())
        await cluster.clock.advance(12 * HOUR)
        await decide(cluster)
        await cluster.clock.advance(23 * HOUR)
        assert await exists(cluster)
        await cluster.clock.advance(3 * HOUR)
        assert not await exists(cluster)


@pytest.mark.parametrize("usage", ["client auth", "server auth"])
async def test_an_issued_or_failed_request_is_deleted_after_an_hour(usage: str) -> None:
    async with running(CLEANER, SIGNER) as cluster:
        await create(cluster, request_pem(), usages=[usage])
        await decide(cluster)
        await cluster.clock.advance(HOUR)
        assert await exists(cluster)
        await cluster.clock.advance(2 * HOUR)
        assert not await exists(cluster)


async def test_a_request_with_an_expired_certificate_is_deleted_at_the_next_look() -> None:
    async with running(CLEANER, SIGNER) as cluster:
        await create(cluster, request_pem(), expirationSeconds=600)
        await cluster.clock.advance(40 * 60)
        await decide(cluster)
        await cluster.clock.advance(21 * 60)
        assert not await exists(cluster)


async def test_the_cleaner_waits_only_while_there_are_requests() -> None:
    async with running(CLEANER) as cluster:
        await create(cluster, request_pem())
        await cluster.delete("certificatesigningrequests", "r", namespace="")
        await cluster.clock.advance(HOUR)
        assert cluster.clock.timers == 0
