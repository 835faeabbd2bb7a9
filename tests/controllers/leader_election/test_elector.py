"""Leader election among several candidates, on a stepped clock."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any

import pytest

from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.controllers.leader_election.elector import ADDRESS, NAME, NAMESPACE, Candidate, LeaderElector
from memkube.controllers.leader_election.leadership import Leadership
from memkube.controllers.options import ElectionOptions
from memkube.faults.rules import FaultRule
from memkube.registry.declarations.request_options import WriteContext
from tests.controllers.cluster import Cluster, running

pytestmark = pytest.mark.anyio

REFUSED: dict[str, Any] = {
    "name": "refused",
    "match": {"resources": ["leases"], "verbs": ["update", "get"], "controllers": True},
    "effect": {"type": "error", "code": 503},
}


def elector(cluster: Cluster, name: str, **options: float) -> LeaderElector:
    candidate = Candidate(name, f"http://{name}.example")
    return LeaderElector(cluster.parts, candidate, ElectionOptions(**options))  # type: ignore[arg-type]


async def lease(cluster: Cluster) -> dict[str, Any]:
    found = await cluster.get("leases", NAME, NAMESPACE)
    assert found is not None
    spec: dict[str, Any] = found["spec"]
    return spec


class Leading:
    """Records when a candidate starts and stops leading."""

    def __init__(self, cluster: Cluster, name: str, **options: float) -> None:
        self.done: list[str] = []
        self.may_begin = asyncio.Event()
        self.may_begin.set()
        self.elector = elector(cluster, name, **options)
        self.leadership = Leadership(self.elector)

    def running(self) -> AbstractAsyncContextManager[None]:
        return self.leadership.running(self._begin, self._end)

    async def _begin(self) -> None:
        await self.may_begin.wait()
        self.done.append("begun")

    async def _end(self) -> None:
        self.done.append("ended")


@asynccontextmanager
async def leading(cluster: Cluster, *names: str) -> AsyncIterator[list[Leading]]:
    servers = [Leading(cluster, name) for name in names]
    async with AsyncExitStack() as running_ones:
        for server in servers:
            await running_ones.enter_async_context(server.running())
        yield servers


async def test_the_first_one_leads_and_says_where_it_is() -> None:
    async with running() as cluster, leading(cluster, "one", "other") as (one, other):
        assert (one.done, other.done) == (["begun"], [])
        spec = await lease(cluster)
        assert (spec["holderIdentity"], spec["leaseDurationSeconds"], spec["leaseTransitions"]) == ("one", 15, 0)
        assert await other.leadership.leader_url() == "http://one.example"
        assert await one.leadership.leader_url() == ""


async def test_a_lease_is_renewed_for_as_long_as_its_holder_lives() -> None:
    async with running() as cluster, leading(cluster, "one", "other") as (one, other):
        begun = await lease(cluster)
        await cluster.clock.advance(120)
        now = await lease(cluster)
        assert (one.done, other.done) == (["begun"], [])
        assert now["acquireTime"] == begun["acquireTime"]
        assert now["renewTime"] > begun["renewTime"]


async def test_the_lease_of_one_who_is_gone_ends() -> None:
    async with running() as cluster:
        assert await elector(cluster, "gone").try_once()
        async with leading(cluster, "next") as (follower,):
            await cluster.clock.advance(14)
            assert follower.done == []
            await cluster.clock.advance(6)
            assert follower.done == ["begun"]
            spec = await lease(cluster)
            assert (spec["holderIdentity"], spec["leaseTransitions"]) == ("next", 1)


async def test_whoever_stops_leaves_the_lease_to_others() -> None:
    async with running() as cluster, leading(cluster, "one", "other") as (one, other):
        await one.leadership.stop()
        assert one.done == ["begun", "ended"]
        assert not (await lease(cluster)).get("holderIdentity")
        assert await other.leadership.leader_url() == ""
        await cluster.clock.advance(5)
        assert other.done == ["begun"]


async def test_whoever_cannot_renew_stops_before_others_may_begin() -> None:
    async with running() as cluster, leading(cluster, "one") as (one,):
        cluster.registry.faults.add(FaultRule.model_validate(REFUSED), cluster.clock.now())
        await cluster.clock.advance(13)
        assert one.done == ["begun", "ended"]
        assert one.leadership.is_follower


async def test_a_short_trouble_costs_nobody_the_lease() -> None:
    async with running() as cluster, leading(cluster, "one", "other") as (one, other):
        cluster.registry.faults.add(FaultRule.model_validate(REFUSED), cluster.clock.now())
        await cluster.clock.advance(8)
        cluster.registry.faults.clear(cluster.clock.now())
        await cluster.clock.advance(60)
        assert (one.done, other.done) == (["begun"], [])


async def test_whoever_sees_another_hold_the_lease_stops_at_once() -> None:
    async with running() as cluster, leading(cluster, "one") as (one,):
        await cluster.change("leases", NAME, NAMESPACE, spec={**await lease(cluster), "holderIdentity": "thief"})
        await cluster.clock.advance(3)
        assert one.done == ["begun", "ended"]


async def test_a_lease_is_renewed_while_its_next_holder_begins() -> None:
    async with running() as cluster, leading(cluster, "gone") as (gone,):
        slow = Leading(cluster, "slow")
        slow.may_begin.clear()
        async with slow.running():
            await gone.leadership.stop()
            await cluster.clock.advance(5)
            async with leading(cluster, "other") as (other,):
                await cluster.clock.advance(120)
                assert (slow.done, other.done) == ([], [])
                assert (await lease(cluster))["holderIdentity"] == "slow"


async def test_a_lease_is_renewed_while_the_first_leader_begins() -> None:
    async with running() as cluster, AsyncExitStack() as stack:
        slow = Leading(cluster, "slow")
        slow.may_begin.clear()
        starting = asyncio.create_task(stack.enter_async_context(slow.running()))
        await cluster.clock.advance(1)
        async with leading(cluster, "other") as (other,):
            await cluster.clock.advance(120)
            assert (slow.done, other.done, starting.done()) == ([], [], False)
            slow.may_begin.set()
            await starting
            assert slow.done == ["begun"]


async def test_whoever_loses_the_lease_while_he_begins_stops() -> None:
    async with running() as cluster, leading(cluster, "gone") as (gone,):
        slow = Leading(cluster, "slow")
        slow.may_begin.clear()
        async with slow.running():
            await gone.leadership.stop()
            await cluster.clock.advance(5)
            assert (await lease(cluster))["holderIdentity"] == "slow"
            await cluster.change("leases", NAME, NAMESPACE, spec={**await lease(cluster), "holderIdentity": "thief"})
            await cluster.clock.advance(3)
            assert slow.done == ["ended"]


async def test_what_the_first_leader_cannot_begin_ends_his_start() -> None:
    async with running() as cluster:
        leadership = Leadership(elector(cluster, "one"))
        with pytest.raises(AssertionError):
            async with leadership.running(_fail, _nothing):
                raise KeyError
        assert not (await lease(cluster)).get("holderIdentity")


async def test_a_lease_that_was_deleted_is_made_again() -> None:
    async with running() as cluster, leading(cluster, "one") as (one,):
        await cluster.store("leases").delete(NAME, DeleteOptions(), WriteContext(namespace=NAMESPACE, manager="user"))
        await cluster.clock.advance(3)
        assert (await lease(cluster))["holderIdentity"] == "one"
        assert one.done == ["begun"]


async def test_an_attempt_that_hangs_is_given_up_at_the_deadline() -> None:
    async with running() as cluster, leading(cluster, "one") as (one,):
        held = {**REFUSED, "effect": {"type": "delay", "seconds": 3600}}
        cluster.registry.faults.add(FaultRule.model_validate(held), cluster.clock.now())
        await cluster.clock.advance(14)
        assert one.done == ["begun", "ended"]


async def test_of_two_who_come_together_one_leads() -> None:
    async with running() as cluster:
        one, other = elector(cluster, "one"), elector(cluster, "other")
        assert sorted(await asyncio.gather(one.try_once(), other.try_once())) == [False, True]


async def test_what_others_wrote_on_the_lease_stays() -> None:
    async with running() as cluster, leading(cluster, "one"):
        await cluster.change("leases", NAME, NAMESPACE, metadata={"annotations": {ADDRESS: "x", "mine": "stays"}})
        await cluster.clock.advance(3)
        found = await cluster.get("leases", NAME, NAMESPACE)
        assert found is not None
        assert found["metadata"]["annotations"] == {ADDRESS: "http://one.example", "mine": "stays"}


async def test_a_release_that_cannot_be_written_ends_all_the_same() -> None:
    async with running() as cluster:
        async with leading(cluster, "one") as (one,):
            cluster.registry.faults.add(FaultRule.model_validate(REFUSED), cluster.clock.now())
        assert one.done == ["begun", "ended"]


async def test_whoever_does_not_campaign_never_leads_and_knows_who_does() -> None:
    async with running() as cluster:
        bystander = Leadership(elector(cluster, "bystander"), campaigns=False)
        async with bystander.running(_fail, _fail):
            await cluster.clock.advance(60)
            assert not bystander.is_follower
            async with leading(cluster, "one"):
                await cluster.clock.advance(3)
                assert bystander.is_follower
                assert await bystander.leader_url() == "http://one.example"


async def _fail() -> None:
    raise AssertionError


async def _nothing() -> None:
    pass


@pytest.mark.parametrize(
    ("times", "why"),
    [
        ((10, 10, 2), "leaseDuration must be greater than renewDeadline"),
        ((15, 2.4, 2), "renewDeadline must be greater than retryPeriod"),
        ((15, 10, 0), "retryPeriod must be greater than zero"),
    ],
)
async def test_times_that_do_not_fit_are_refused(times: tuple[float, float, float], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        ElectionOptions(*times)
