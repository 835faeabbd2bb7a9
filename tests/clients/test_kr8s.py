"""Programs with kr8s, synchronous and asynchronous: they deploy, wait, inspect pods, apply, drain and watch."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import kr8s
import pytest
from benchmarks.processes import free_port
from kr8s._async_utils import as_sync_func
from kr8s.objects import ConfigMap, CustomResourceDefinition, Deployment, Pod, new_class

from memkube import Memkube, faults
from tests.clients.cluster_time import read_on
from tests.clients.workloads import (
    LABELS,
    SELECTOR,
    WRITES_EACH_20_SECONDS,
    Document,
    budget,
    config_map,
    deployment,
    is_rolled_out,
    pod,
    site,
    site_definition,
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.memkube(nodes=2, clock="x20"),
    # kr8s supports Kubernetes up to 1.35 and warns about later versions.
    pytest.mark.filterwarnings("ignore:Kubernetes version v1.36:UserWarning"),
]
_SECONDS = 60
_SETTINGS = "metadata.name=settings"
_APPLY = "application/apply-patch+yaml"


@pytest.fixture
def api(memkube: Memkube) -> Iterator[Any]:
    connected = kr8s.api(kubeconfig=str(memkube.kubeconfig))
    yield connected
    as_sync_func(connected._session.aclose)()  # kr8s has no method to close its session


@pytest.fixture
async def async_api(memkube: Memkube) -> AsyncIterator[Any]:
    connected: Any = await kr8s.asyncio.api(kubeconfig=str(memkube.kubeconfig))
    yield connected
    await connected._session.aclose()


def _until_rolled_out(found: Any, image: str) -> Document:
    for _, state in found.watch():
        runs = state.raw["spec"]["template"]["spec"]["containers"][0]["image"]
        if runs == image and is_rolled_out(state.raw.to_dict()):
            rolled_out: Document = state.raw.to_dict()
            return rolled_out
    raise AssertionError("the watch has ended")


def test_a_deployment_is_rolled_out_scaled_and_taken_down(api: Any) -> None:
    web = Deployment(deployment(), api=api)
    web.create()
    web.wait("condition=Available", timeout=_SECONDS)
    web.scale(5)
    replaced = [{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "nginx:2"}]
    web.patch(replaced, type="json")
    assert _until_rolled_out(web, "nginx:2")["status"]["readyReplicas"] == 5
    assert len([found for found in api.get("pods", label_selector=LABELS) if found.ready()]) == 5
    web.delete(propagation_policy="Foreground")
    web.wait("delete", timeout=_SECONDS)
    assert list(api.get("pods", label_selector=LABELS)) == []


def test_a_config_map_is_labelled_annotated_and_patched(api: Any) -> None:
    settings = ConfigMap(config_map("settings", colour="blue"), api=api)
    settings.create()
    settings.label({"tier": "front"})
    settings.annotate({"example.com/owner": "we"})
    settings.patch({"data": {"colour": "red", "size": "1"}})
    settings.patch(
        [{"op": "test", "path": "/data/size", "value": "1"}, {"op": "remove", "path": "/data/size"}], type="json"
    )
    with pytest.raises(kr8s.ServerError, match="the server rejected our request due to an error in our request"):
        settings.patch([{"op": "test", "path": "/data/colour", "value": "blue"}], type="json")
    found = ConfigMap.get("settings", api=api)
    assert (found.data, found.labels, found.annotations) == (
        {"colour": "red"},
        {"tier": "front"},
        {"example.com/owner": "we"},
    )


def test_a_custom_kind_is_defined_waited_for_and_used(api: Any) -> None:
    definition = CustomResourceDefinition(site_definition(), api=api)
    definition.create()
    # kr8s cannot handle `conditions: null`, with which a definition begins in every cluster.
    while not definition.status.get("conditions"):
        definition.refresh()
    definition.wait("condition=Established", timeout=_SECONDS)
    Site = new_class(kind="Site", version="example.com/v1", namespaced=True, asyncio=False, scalable=True)  # noqa: N806  it is one
    web = Site(site("web", replicas=2), api=api)
    web.create()
    web.patch({"status": {"phase": "Up"}}, subresource="status")
    web.scale(3)
    (found,) = api.get("sites.example.com", "web")
    assert (found.spec, found.status) == ({"host": "web.example.com", "replicas": 3}, {"phase": "Up"})
    with pytest.raises(kr8s.ServerError, match=r"spec\.replicas in body must be of type integer"):
        Site(site("bad", replicas="many"), api=api).create()


@pytest.mark.memkube(clock="stepped")
def test_a_log_is_followed_while_it_is_written(memkube: Memkube, api: Any) -> None:
    writer = Pod(pod("writer", WRITES_EACH_20_SECONDS), api=api)
    writer.create()
    memkube.clock.advance(1)
    assert writer.ready()
    assert read_on(memkube, writer.logs(follow=True), 20) == ["line 1", "line 2", "line 3"]
    assert list(writer.logs(tail_lines=1)) == ["line 3"]


def test_a_command_is_run_for_what_it_prints_and_ends_with(api: Any) -> None:
    web = Pod(pod("web"), api=api)
    web.create()
    web.wait("condition=Ready", timeout=_SECONDS)
    # No input is sent: kr8s 0.20 can only speak v4.channel.k8s.io, with which stdin does not work.
    done = web.exec(["sh", "-c", "hostname; echo wrong >&2; exit 3"], check=False)
    assert (done.returncode, done.stdout, done.stderr) == (3, b"web\n", b"wrong\n")
    with pytest.raises(ExceptionGroup) as failed:
        web.exec(["false"])
    assert failed.group_contains(kr8s.ExecError, match="command terminated with exit code 1")


def test_a_port_of_a_deployment_is_forwarded(api: Any) -> None:
    web = Deployment(deployment(replicas=1), api=api)
    web.create()
    web.wait("condition=Available", timeout=_SECONDS)
    (ready,) = api.get("pods", label_selector=LABELS)  # not Deployment.ready_pods(): it is a coroutine even here
    # The local port is given, because kr8s 0.20 may choose a port that is in use.
    with ready.portforward(80, local_port=free_port()) as port:
        answer = httpx.get(f"http://127.0.0.1:{port}/", trust_env=False)
    assert (answer.status_code, answer.text) == (200, f"{ready.name}\n")


@pytest.mark.anyio
async def test_two_managers_apply_and_one_of_them_insists(async_api: Any) -> None:

    async def apply(manager: str, force: bool, **data: str) -> Document:
        call = async_api.call_api(
            "PATCH",
            namespace="default",
            url="configmaps/settings",
            params={"fieldManager": manager, "force": str(force).lower()},
            headers={"Content-Type": _APPLY},
            content=json.dumps(config_map("settings", **data)),
        )
        async with call as answer:
            applied: Document = answer.json()
            return applied

    await apply("we", False, colour="blue")
    with pytest.raises(kr8s.ServerError, match=r'conflict with "we": \.data\.colour') as conflict:
        await apply("they", False, colour="red")
    assert conflict.value.response.status_code == 409
    assert (await apply("they", True, colour="red"))["data"] == {"colour": "red"}


@pytest.mark.anyio
async def test_a_drain_waits_for_the_budget(memkube: Memkube, async_api: Any) -> None:
    web = await kr8s.asyncio.objects.Deployment(deployment(), api=async_api)
    await web.create()
    await web.wait("condition=Available", timeout=_SECONDS)
    guard = await kr8s.asyncio.objects.PodDisruptionBudget(budget(2), api=async_api)
    await guard.create()
    await guard.wait("condition=DisruptionAllowed", timeout=_SECONDS)
    before = {found.name async for found in async_api.get("pods", label_selector=SELECTOR)}
    memkube.behaviors.put("slow", {"image": "nginx:1", "startDelaySeconds": 30})
    refusals = [code for name in sorted(before) for code in await _evicted(async_api, name)]
    assert set(refusals) == {429}
    await guard.wait("jsonpath='{.status.currentHealthy}'=3", timeout=_SECONDS)
    after = {found.name async for found in async_api.get("pods", label_selector=SELECTOR)}
    assert after.isdisjoint(before)


async def _evicted(api: Any, name: str) -> list[int]:
    """Evict a pod, and retry while the disruption budget refuses. Return the status codes of the refusals."""
    refusals: list[int] = []
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}}
    url = f"pods/{name}/eviction"
    while True:
        try:
            async with api.call_api("POST", namespace="default", url=url, content=json.dumps(eviction)):
                return refusals
        except kr8s.ServerError as refused:
            refusals.append(refused.response.status_code)
            await asyncio.sleep(0.02)


@pytest.mark.anyio
async def test_more_than_a_page_is_listed(memkube: Memkube, async_api: Any) -> None:
    names = [f"settings-{number:03}" for number in range(150)]
    memkube.apply([config_map(name) for name in names])
    listed = [found.name async for found in async_api.get("configmaps", namespace="default")]
    assert [name for name in listed if name in names] == names, "it asks for a hundred at once"


@pytest.mark.anyio
async def test_a_watch_that_ends_is_gone_on_with_behind_what_was_seen(memkube: Memkube, async_api: Any) -> None:
    settings = await kr8s.asyncio.objects.ConfigMap(config_map("settings", number="0"), api=async_api)
    await settings.create()
    since, seen = settings.metadata.resourceVersion, []
    ends = faults.close_watch(after_events=1)
    with memkube.faults.add(ends, verb="watch", resource="configmaps", user_agent="kr8s/*") as fault:
        for number in range(1, 4):
            await settings.patch({"data": {"number": str(number)}})
            async for kind, found in async_api.watch("configmaps", namespace="default", since=since):
                seen.append((kind, found.data["number"]))
                since = found.metadata.resourceVersion
    assert (seen, fault.hits) == ([("MODIFIED", "1"), ("MODIFIED", "2"), ("MODIFIED", "3")], 3)


@pytest.mark.anyio
async def test_a_watch_of_forgotten_history_has_to_be_begun_anew(memkube: Memkube, async_api: Any) -> None:
    settings = await kr8s.asyncio.objects.ConfigMap(config_map("settings"), api=async_api)
    await settings.create()
    await settings.label({"a": "b"})
    memkube.faults.compact_history()
    # kr8s 0.20 resumes from the same compacted revision without a pause and without end.
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await anext(async_api.watch("configmaps", namespace="default", since="1"))
    kind, found = await anext(async_api.watch("configmaps", namespace="default", field_selector=_SETTINGS))
    assert (kind, found.labels) == ("ADDED", {"a": "b"})


def test_a_creation_whose_answer_is_lost_is_looked_for(memkube: Memkube, api: Any) -> None:
    settings = ConfigMap(config_map("settings"), api=api)
    with memkube.faults.add(faults.drop(after_write=True), verb="create", resource="configmaps", first=1):
        with pytest.raises(httpx.RemoteProtocolError):
            settings.create()
        assert settings.exists()
    with pytest.raises(kr8s.ServerError, match="already exists"):
        settings.create()


def test_a_refusal_says_when_to_try_again(memkube: Memkube, api: Any) -> None:
    settings = ConfigMap(config_map("settings"), api=api)
    with memkube.faults.add(faults.error(429, retry_after=3), verb="create", resource="configmaps", first=1):
        with pytest.raises(kr8s.ServerError) as refused:
            settings.create()
        assert refused.value.response.headers["Retry-After"] == "3"
        settings.create()
