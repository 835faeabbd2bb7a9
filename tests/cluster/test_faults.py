"""Faults that a program adds through the Python API."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import httpx
import pytest

import memkube
from memkube import faults

MAPS = "/api/v1/namespaces/default/configmaps"


@pytest.fixture
def kube() -> Iterator[memkube.Memkube]:
    with memkube.Memkube(controllers="none", clock="stepped") as running:
        yield running


def status(kube: memkube.Memkube) -> int:
    return httpx.get(f"{kube.url}{MAPS}").status_code


def test_a_fault_is_removed_with_its_block_and_tells_what_it_did(kube: memkube.Memkube) -> None:
    with kube.faults.add(faults.error(500), verb="list", resource="configmaps", first=1) as fault:
        assert [status(kube), status(kube)] == [500, 200]
    fault.remove()
    assert (fault.matched, fault.hits) == (2, 1)
    assert list(kube.faults) == []


def test_a_fault_is_removed_when_told(kube: memkube.Memkube) -> None:
    fault = kube.faults.add(verb="list", resource=["configmaps", "pods"], effect=faults.error(500), called="broken")
    assert ([known.name for known in kube.faults], status(kube)) == (["broken"], 500)
    fault.remove()
    assert status(kube) == 200


def test_faults_are_cleared(kube: memkube.Memkube) -> None:
    kube.faults.add(faults.error(500))
    kube.faults.clear()
    assert status(kube) == 200


def test_a_fault_ends_by_the_servers_clock(kube: memkube.Memkube) -> None:
    kube.faults.add(faults.error(500), verb="list", until=kube.clock.now() + timedelta(seconds=30))
    assert status(kube) == 500
    kube.clock.advance(30)
    assert status(kube) == 200


def test_what_makes_no_sense_is_an_error(kube: memkube.Memkube) -> None:
    with pytest.raises(ValueError, match="only writes conflict"):
        kube.faults.add(faults.error(409), verb="get")
    with pytest.raises(ValueError, match="recource"):
        kube.faults.add(faults.drop(), recource="pods")  # type: ignore[call-arg]
    kube.faults.add(faults.drop(), called="taken", path="/nowhere")
    with pytest.raises(memkube.Refused, match='faults "taken" already exists'):
        kube.faults.add(faults.drop(), called="taken")


@pytest.mark.parametrize("name", ["pod", "po", "deploy", "deployment.apps", "pod/status"])
def test_a_resource_by_another_name_than_its_plural_is_refused(kube: memkube.Memkube, name: str) -> None:
    with pytest.raises(memkube.Refused, match="names resources by their plurals"):
        kube.faults.add(faults.drop(), resource=name)
    with pytest.raises(memkube.Refused, match="names resources by their plurals"):
        kube.faults.close_watches(resource=name)


def test_a_resource_may_be_served_later(kube: memkube.Memkube) -> None:
    for name in ("widgets", "widgets.example.com", "deployments.apps", "*/scale", "pods*"):
        kube.faults.add(faults.drop(), resource=name)


def test_a_fault_outlives_its_server() -> None:
    with memkube.Memkube(controllers="none") as kube:
        fault = kube.faults.add(faults.error(500))
        status(kube)
    fault.remove()
    assert fault.hits == 1


@pytest.mark.anyio
async def test_programs_in_an_event_loop_have_the_same() -> None:
    async with memkube.Memkube(controllers="none") as kube, httpx.AsyncClient(base_url=kube.url) as http:
        async with await kube.faults.add(faults.error(503), verb="list", first=1) as fault:
            assert [(await http.get(MAPS)).status_code for _ in range(2)] == [503, 200]
            assert [known.name for known in await kube.faults.all()] == [fault.name]
        assert (fault.matched, fault.hits) == (2, 1)
        assert await kube.faults.all() == []
        await kube.faults.add(faults.error(503))
        await kube.faults.clear()
        assert await kube.faults.close_watches(resource="configmaps") == 0
        assert await kube.faults.compact_history() > 0
        assert (await http.get(MAPS)).status_code == 200


@pytest.mark.parametrize(
    ("which", "message"),
    [
        ({"vreb": "get"}, "unknown field 'vreb': did you mean 'verb'"),
        ({"verb": "fetch"}, "verb: Input should be 'get', 'list'"),
        ({"user_agnt": "kubectl"}, "did you mean 'user_agent'"),
        ({"first": 0}, "first: Input should be greater than or equal to 1"),
        ({"until": "yesterday"}, "until: "),
        ({"called": "A name"}, "called: "),
    ],
)
def test_a_wrong_field_is_a_usage_error_in_the_words_of_the_call(
    kube: memkube.Memkube, which: dict[str, Any], message: str
) -> None:
    with pytest.raises(memkube.UsageError, match=message) as refused:
        kube.faults.add(faults.delay(1), **which)
    assert "pydantic" not in str(refused.value)


def test_misspelt_fields_of_closed_watches_keep_the_words_of_the_call(kube: memkube.Memkube) -> None:
    with pytest.raises(memkube.UsageError, match="unknown field 'expird': did you mean 'expired'"):
        kube.faults.close_watches(expird=True)  # type: ignore[call-arg]  # this is the mistake


def test_effects_refuse_values_in_the_words_of_the_call() -> None:
    with pytest.raises(memkube.UsageError, match=r"^retry_after: Input should be greater than or equal to 1$"):
        faults.error(429, retry_after=0)
    with pytest.raises(memkube.UsageError, match=r"^retry_after requires code 429, 503 or 504, not 500$"):
        faults.error(500, retry_after=1)
    with pytest.raises(memkube.UsageError, match=r"^code: "):
        faults.error(418)  # type: ignore[arg-type]  # this is the mistake
