"""Programs with the official client that handle injected faults or report them."""

import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import urllib3
from kubernetes import client, config, informer, utils
from kubernetes.leaderelection import electionconfig, leaderelection
from kubernetes.leaderelection.resourcelock.leaselock import LeaseLock

from memkube import Memkube, faults
from tests.clients.cluster_time import ClusterTime
from tests.clients.informed import Informed
from tests.clients.workloads import config_map

_SECONDS = 60


@pytest.fixture
def api_client(memkube: Memkube) -> Iterator[Any]:
    """A client of the server. It is also the default client of the package."""
    config.load_kube_config(str(memkube.kubeconfig))
    with client.ApiClient() as connected:
        yield connected
    client.Configuration.set_default(None)


@pytest.fixture
def core(api_client: Any) -> Any:
    return client.CoreV1Api(api_client)


@pytest.fixture
def informed(core: Any) -> Iterator[Informed]:
    """An informer that has reported one object."""
    core.create_namespaced_config_map("default", config_map("before"))
    selected = "metadata.name!=kube-root-ca.crt"
    shared = informer.SharedInformer(core.list_namespaced_config_map, "default", field_selector=selected)
    cache = Informed(shared)
    shared.start()
    cache.await_told("ADDED", "before")
    yield cache
    # An informer that is stopped before its watch has begun does not stop. The second object is reported by the watch,
    # so the watch has begun.
    for name in ("last", "very-last"):
        core.create_namespaced_config_map("default", config_map(name))
        cache.await_told("ADDED", name)
    shared.stop()


def test_an_informer_relists_what_history_has_forgotten(memkube: Memkube, core: Any, informed: Informed) -> None:
    with memkube.faults.add(faults.hold_events(), verb="watch", resource="configmaps"):
        core.delete_namespaced_config_map("before", "default")
        core.create_namespaced_config_map("default", config_map("after"))
        memkube.faults.compact_history()
        memkube.faults.close_watches(dropped=True, resource="configmaps")
    informed.await_told("ADDED", "after")
    assert informed.told == [("ADDED", "before"), ("DELETED", "before"), ("ADDED", "after")]
    assert informed.errors[-1].status == 410


def test_an_informer_misses_nothing_when_each_watch_ends_after_an_event(
    memkube: Memkube, core: Any, informed: Informed
) -> None:
    ends = faults.close_watch(after_events=1)
    with memkube.faults.add(ends, verb="watch", resource="configmaps", namespace="default") as fault:
        for number in range(5):
            core.create_namespaced_config_map("default", config_map(f"settings-{number}"))
            core.patch_namespaced_config_map(f"settings-{number}", "default", {"data": {"a": "b"}})
        informed.await_told("MODIFIED", "settings-4")
    assert fault.hits > 5
    told = [[(kind, f"settings-{number}") for kind in ("ADDED", "MODIFIED")] for number in range(5)]
    assert informed.told[1:] == [event for pair in told for event in pair]


def test_a_read_waits_as_long_as_it_is_asked_to(memkube: Memkube, core: Any) -> None:
    with memkube.faults.add(faults.error(429, retry_after=1), verb="list", resource="pods", first=1) as fault:
        assert core.list_namespaced_pod("default").items == []
    assert fault.hits == 1


def test_a_write_is_tried_again_when_the_server_asks_for_it(memkube: Memkube, core: Any) -> None:
    waited: list[float] = []
    with memkube.faults.add(faults.error(429, retry_after=7), verb="create", resource="configmaps", first=2) as fault:
        utils.on_retry_after_error(
            utils.DEFAULT_RETRY_AFTER_BACKOFF,
            utils.is_retry_after_response,
            lambda: core.create_namespaced_config_map("default", config_map("settings")),
            sleep_func=waited.append,
        )
    assert (fault.hits, waited) == (2, [7.0, 7.0])


def test_a_creation_whose_answer_is_lost_may_have_been_carried_out(memkube: Memkube, core: Any) -> None:
    lost = faults.drop(after_write=True)
    with memkube.faults.add(lost, verb="create", resource="configmaps", first=1):
        with pytest.raises(urllib3.exceptions.ProtocolError):
            core.create_namespaced_config_map("default", config_map("settings"))
        with pytest.raises(client.ApiException) as again:
            core.create_namespaced_config_map("default", config_map("settings"))
    assert json.loads(again.value.body)["reason"] == "AlreadyExists"


def test_a_replacement_whose_answer_is_lost_conflicts_with_itself(memkube: Memkube, core: Any) -> None:
    core.create_namespaced_config_map("default", config_map("count", value="1"))

    def write() -> None:
        found = core.read_namespaced_config_map("count", "default")
        if found.data["value"] == "1":
            core.replace_namespaced_config_map(
                "count", "default", config_map("count", value="2") | {"metadata": found.metadata}
            )

    lost = faults.drop(after_write=True)
    with memkube.faults.add(lost, verb="update", resource="configmaps", first=1) as fault:
        with pytest.raises(client.ApiException) as conflict:
            write()
        assert (fault.hits, conflict.value.status) == (1, 409), "urllib3 sends it once more by itself"
        utils.retry_on_conflict(write)
    assert core.read_namespaced_config_map("count", "default").data == {"value": "2"}


def test_a_list_whose_continuation_has_expired_is_gone_on_with_at_the_newest(memkube: Memkube, core: Any) -> None:
    for number in range(4):
        core.create_namespaced_config_map("default", config_map(f"settings-{number}"))
    first = core.list_namespaced_config_map("default", limit=2)
    core.delete_namespaced_config_map("settings-2", "default")
    memkube.faults.compact_history()
    with pytest.raises(client.ApiException) as gone:
        core.list_namespaced_config_map("default", limit=2, _continue=first.metadata._continue)
    assert (gone.value.status, json.loads(gone.value.body)["reason"]) == (410, "Expired")
    token = json.loads(gone.value.body)["metadata"]["continue"]
    rest = core.list_namespaced_config_map("default", _continue=token)
    names = [found.metadata.name for found in (*first.items, *rest.items)]
    assert names == ["kube-root-ca.crt", "settings-0", "settings-1", "settings-3"]


@pytest.mark.memkube(clock="stepped")
def test_a_leader_whose_writes_fail_gives_way(
    memkube: Memkube, api_client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = ClusterTime(memkube)
    monkeypatch.setattr(leaderelection, "time", clock)
    led: list[str] = []
    second_leads = threading.Event()

    def candidate(name: str, lead: Any) -> Any:
        lock = LeaseLock("operator", "default", name)
        named = client.ApiClient()
        named.user_agent = name
        lock.api_instance = client.CoordinationV1Api(named)
        periods = {"lease_duration": 15, "renew_deadline": 10, "retry_period": 2}
        configured = electionconfig.Config(
            lock, onstarted_leading=lead, onstopped_leading=lambda: led.append(f"{name} stopped"), **periods
        )
        return leaderelection.LeaderElection(configured)

    with clock.running():
        clock.run(candidate("first", str).run)
        clock.advance(1)
        clock.run(candidate("second", second_leads.set).run)
        clock.advance(5)
        with memkube.faults.add(faults.error(500), verb="update", resource="leases", user_agent="first") as fault:
            clock.advance(12)
            assert (led, second_leads.is_set()) == (["first stopped"], False)
            clock.advance(8)
            assert second_leads.wait(_SECONDS)
    assert fault.hits == 5, "one each two seconds, in the ten seconds of its deadline"
