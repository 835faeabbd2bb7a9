"""kr8s, both editions: programs that deploy, wait, look into pods, apply, drain and keep up."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import kr8s
import pytest
from kr8s._async_utils import as_sync_func
from kr8s.objects import ConfigMap, CustomResourceDefinition, Deployment, Pod, new_class

from memkube import Memkube
from tests.clients.workloads import (
    LABELS,
    SELECTOR,
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
    pytest.mark.memkube(nodes=2, clock="x60"),
    # It knows versions up to 1.35, and says so of each later one.
    pytest.mark.filterwarnings("ignore:Kubernetes version v1.36:UserWarning"),
]
_SECONDS = 20
_APPLY = "application/apply-patch+yaml"


@pytest.fixture
def api(memkube: Memkube) -> Iterator[Any]:
    connected = kr8s.api(kubeconfig=str(memkube.kubeconfig))
    yield connected
    as_sync_func(connected._session.aclose)()  # It has no way to be closed.


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


def test_a_log_is_followed_while_it_is_written(api: Any) -> None:
    writer = Pod(pod("writer", "for n in 1 2 3; do echo line $n; sleep 20; done"), api=api)
    writer.create()
    writer.wait("condition=Ready", timeout=_SECONDS)
    assert list(writer.logs(follow=True)) == ["line 1", "line 2", "line 3"]
    assert list(writer.logs(tail_lines=1)) == ["line 3"]


def test_a_command_is_given_its_input_and_ends_with_its_status(api: Any) -> None:
    web = Pod(pod("web"), api=api)
    web.create()
    web.wait("condition=Ready", timeout=_SECONDS)
    script = ["sh", "-c", "cat; echo wrong >&2; exit 3"]
    done = web.exec(script, stdin="one\ntwo\n", check=False)
    assert (done.returncode, done.stdout, done.stderr) == (3, b"one\ntwo\n", b"wrong\n")
    with pytest.raises(kr8s.ExecError, match="command terminated with exit code 3"):
        web.exec(script, stdin="one")


def test_a_port_of_a_deployment_is_forwarded(api: Any) -> None:
    web = Deployment(deployment(replicas=1), api=api)
    web.create()
    web.wait("condition=Available", timeout=_SECONDS)
    (ready,) = api.get("pods", label_selector=LABELS)  # Deployment.ready_pods() is a coroutine, even here.
    with ready.portforward(80, local_port="auto") as port:
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
async def test_a_drain_waits_for_the_budget(async_api: Any) -> None:
    web = await kr8s.asyncio.objects.Deployment(deployment(), api=async_api)
    await web.create()
    await web.wait("condition=Available", timeout=_SECONDS)
    guard = await kr8s.asyncio.objects.PodDisruptionBudget(budget(2), api=async_api)
    await guard.create()
    await guard.wait("condition=DisruptionAllowed", timeout=_SECONDS)
    before = {found.name async for found in async_api.get("pods", label_selector=SELECTOR)}
    refusals = [code for name in sorted(before) for code in await _evicted(async_api, name)]
    assert set(refusals) == {429}
    await guard.wait("jsonpath='{.status.currentHealthy}'=3", timeout=_SECONDS)
    after = {found.name async for found in async_api.get("pods", label_selector=SELECTOR)}
    assert after.isdisjoint(before)


async def _evicted(api: Any, name: str) -> list[int]:
    """Evicts a pod, trying again as often as the budget refuses; returns the refusals."""
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
