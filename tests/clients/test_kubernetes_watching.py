"""The official client's watches, informer, leader election and dynamic client."""

import threading
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import Any

import pytest
from kubernetes import client, config, dynamic, informer, watch
from kubernetes.dynamic.exceptions import ConflictError, NotFoundError
from kubernetes.leaderelection import electionconfig, leaderelection
from kubernetes.leaderelection.resourcelock.configmaplock import ConfigMapLock
from kubernetes.leaderelection.resourcelock.leaselock import LeaseLock

from memkube import Memkube
from tests.clients.cluster_time import ClusterTime
from tests.clients.informed import Informed
from tests.clients.workloads import config_map, deployment, site, site_definition

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
def informed(core: Any) -> Iterator[Any]:
    shared = informer.SharedInformer(core.list_namespaced_config_map, "default", label_selector="watched")
    yield shared
    shared.stop()


def _watched(name: str, **data: str) -> Any:
    made = config_map(name, **data)
    made["metadata"]["labels"] = {"watched": "yes"}
    return made


def test_an_informer_keeps_up(core: Any, informed: Any) -> None:
    core.create_namespaced_config_map("default", _watched("before"))
    cache = Informed(informed)
    informed.start()
    cache.await_told("ADDED", "before")
    core.create_namespaced_config_map("default", _watched("after"))
    core.create_namespaced_config_map("default", config_map("unwatched"))
    core.patch_namespaced_config_map("before", "default", {"data": {"colour": "blue"}})
    core.delete_namespaced_config_map("after", "default")
    cache.await_told("DELETED", "after")
    assert cache.told == [("ADDED", "before"), ("ADDED", "after"), ("MODIFIED", "before"), ("DELETED", "after")]
    assert [found.data for found in informed.cache.list()] == [{"colour": "blue"}]


@pytest.mark.memkube(clock="x60")
def test_a_watch_ends_in_time_and_goes_on_behind_the_last_bookmark(core: Any) -> None:
    listed = core.list_namespaced_config_map("default")
    options = {"resource_version": listed.metadata.resource_version, "allow_watch_bookmarks": True}
    core.create_namespace({"metadata": {"name": "elsewhere"}})
    watching = watch.Watch()
    quiet = list(watching.stream(core.list_namespaced_config_map, "default", timeout_seconds=30, **options))
    assert {event["type"] for event in quiet} == {"BOOKMARK"}, "nothing happened but elsewhere"
    assert int(watching.resource_version) > int(listed.metadata.resource_version)

    core.create_namespaced_config_map("default", config_map("settings"))
    options["resource_version"] = watching.resource_version
    event = next(watch.Watch().stream(core.list_namespaced_config_map, "default", timeout_seconds=300, **options))
    assert (event["type"], event["object"].metadata.name) == ("ADDED", "settings")


def test_the_present_comes_with_a_watch_that_asks_for_it(core: Any, api_client: Any) -> None:
    for name in ("a", "b"):
        core.create_namespaced_config_map("default", _watched(name))
    config_maps = dynamic.DynamicClient(api_client).resources.get(api_version="v1", kind="ConfigMap")
    options = {"send_initial_events": True, "resource_version_match": "NotOlderThan", "allow_watch_bookmarks": True}
    seen = []
    for event in config_maps.watch(namespace="default", label_selector="watched", timeout=_SECONDS, **options):
        seen.append(event["type"])
        if event["type"] == "BOOKMARK":
            break
        assert event["object"].metadata.labels.watched == "yes"
    assert seen == ["ADDED", "ADDED", "BOOKMARK"]
    assert event["raw_object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}


def _candidate(lock: Any, name: str, lead: Callable[[], object], stop: Callable[[], object]) -> Any:
    periods = {"lease_duration": 15, "renew_deadline": 10, "retry_period": 2}
    configured = electionconfig.Config(
        lock("operator", "default", name), onstarted_leading=lead, onstopped_leading=stop, **periods
    )
    return leaderelection.LeaderElection(configured)


@pytest.mark.memkube(clock="stepped")
@pytest.mark.parametrize("lock", [LeaseLock, ConfigMapLock])
def test_of_two_candidates_one_leads_until_it_crashes(
    memkube: Memkube, api_client: Any, monkeypatch: pytest.MonkeyPatch, lock: Any
) -> None:
    clock = ClusterTime(memkube)
    monkeypatch.setattr(leaderelection, "time", clock)
    crashes, stopped, second_leads = threading.Event(), threading.Event(), threading.Event()
    leading: SimpleQueue[threading.Thread] = SimpleQueue()

    def lead_until_it_crashes() -> None:
        leading.put(threading.current_thread())
        crashes.wait(_SECONDS)
        raise RuntimeError("the operator has crashed")

    with clock.running():
        clock.run(_candidate(lock, "first", lead_until_it_crashes, stopped.set).run)
        clock.advance(1)
        clock.run(_candidate(lock, "second", second_leads.set, str).run)
        clock.advance(30)
        assert not second_leads.is_set(), "the first renews its lease every two seconds"
        crashes.set()
        leading.get(timeout=_SECONDS).join(_SECONDS)
        clock.advance(10)
        assert stopped.is_set()
        assert not second_leads.is_set(), "the lease of the first has not run out"
        clock.advance(10)
        assert second_leads.wait(_SECONDS)


def test_the_dynamic_client_uses_a_kind_that_came_later(api_client: Any) -> None:
    found = dynamic.DynamicClient(api_client)
    definitions = found.resources.get(api_version="apiextensions.k8s.io/v1", kind="CustomResourceDefinition")
    definitions.create(body=site_definition())
    for event in definitions.watch(name="sites.example.com", timeout=_SECONDS):
        if any(c.type == "Established" and c.status == "True" for c in event["object"].status.conditions or ()):
            break
    sites = found.resources.get(api_version="example.com/v1", kind="Site")
    sites.create(body=site("web"), namespace="default")
    sites.status.patch(
        name="web",
        namespace="default",
        body={"status": {"phase": "Serving"}},
        content_type="application/merge-patch+json",
    )
    web = sites.get(name="web", namespace="default")
    assert (web.spec.replicas, web.status.phase) == (1, "Serving")
    stale = web.to_dict()
    sites.scale.patch(
        name="web", namespace="default", body={"spec": {"replicas": 3}}, content_type="application/merge-patch+json"
    )
    with pytest.raises(ConflictError):
        sites.replace(body=stale, namespace="default")
    sites.delete(name="web", namespace="default")
    with pytest.raises(NotFoundError):
        sites.get(name="web", namespace="default")


def test_the_dynamic_client_applies_validates_and_rehearses(api_client: Any) -> None:
    found = dynamic.DynamicClient(api_client)
    deployments = found.resources.get(api_version="apps/v1", kind="Deployment")
    rehearsed = deployments.server_side_apply(
        body=deployment(), namespace="default", field_manager="deployer", dry_run="All"
    )
    assert rehearsed.spec.strategy.type == "RollingUpdate"
    with pytest.raises(NotFoundError):
        deployments.get(name="web", namespace="default")
    deployments.server_side_apply(body=deployment(), namespace="default", field_manager="deployer")
    with pytest.raises(ConflictError, match="deployer"):
        deployments.server_side_apply(body=deployment(replicas=1), namespace="default", field_manager="scaler")
    _, errors = found.validate(deployment(replicas="three"), version="1.36.0")  # type: ignore[arg-type]
    assert "'three' is not of type 'integer'" in errors[0]
