"""The same programs with kubernetes_asyncio and with the official client's asyncio edition."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from memkube import AsyncMemkube, Memkube, faults
from tests.clients.cluster_time import AsyncClusterTime
from tests.clients.informed import AsyncInformer
from tests.clients.workloads import (
    SELECTOR,
    WRITES_EACH_20_SECONDS,
    Document,
    budget,
    condition,
    config_map,
    deployment,
    is_ready,
    is_rolled_out,
    pod,
    site,
    site_definition,
)

pytestmark = [pytest.mark.slow, pytest.mark.anyio, pytest.mark.memkube(nodes=2, clock="x20")]

_APPLY = "application/apply-patch+yaml"
_MERGE = "application/merge-patch+json"
_HOUR = 3600


@pytest.fixture(params=["kubernetes.aio", "kubernetes_asyncio"])
def edition(request: pytest.FixtureRequest) -> Any:
    """The packages of one of the two clients."""
    names = ("client", "config", "dynamic", "stream", "utils", "watch", "leaderelection.leaderelection")
    packages = {name.rpartition(".")[2]: import_module(f"{request.param}.{name}") for name in names}
    election = import_module(f"{request.param}.leaderelection.electionconfig")
    lock = import_module(f"{request.param}.leaderelection.resourcelock.leaselock")
    return SimpleNamespace(**packages, ElectionConfig=election.Config, LeaseLock=lock.LeaseLock)


@pytest.fixture
async def api_client(edition: Any, memkube: Memkube) -> AsyncIterator[Any]:
    configuration = edition.client.Configuration()
    await edition.config.load_kube_config(str(memkube.kubeconfig), client_configuration=configuration)
    async with edition.client.ApiClient(configuration) as connected:
        yield connected


@pytest.fixture
def core(edition: Any, api_client: Any) -> Any:
    return edition.client.CoreV1Api(api_client)


@pytest.fixture
def apps(edition: Any, api_client: Any) -> Any:
    return edition.client.AppsV1Api(api_client)


async def _until(edition: Any, listing: Any, holds: Callable[[Document], object], **options: Any) -> Document:
    """Return the first watched object that meets a condition, within an hour of the cluster's time."""
    async with edition.watch.Watch().stream(listing, "default", timeout_seconds=_HOUR, **options) as events:
        async for event in events:
            found: Document = event["raw_object"]
            if event["type"] != "DELETED" and holds(found):
                return found
    raise AssertionError(f"no object met the condition within {_HOUR} seconds of the cluster's time")


async def _started(edition: Any, core: Any, name: str) -> None:
    await core.create_namespaced_pod("default", pod(name))
    await _until(edition, core.list_namespaced_pod, is_ready, field_selector=f"metadata.name={name}")


async def test_a_deployment_is_rolled_out_scaled_and_drained_at_once(
    memkube: Memkube, edition: Any, api_client: Any, apps: Any, core: Any
) -> None:
    budgets = edition.client.PolicyV1Api(api_client)
    await budgets.create_namespaced_pod_disruption_budget("default", budget(4))
    await apps.create_namespaced_deployment("default", deployment())
    scale = {"spec": {"replicas": 5}}
    await apps.patch_namespaced_deployment_scale("web", "default", scale, _content_type=_MERGE)
    await _until(edition, apps.list_namespaced_deployment, lambda d: is_rolled_out(d) and d["spec"]["replicas"] == 5)
    allowing = await _until(
        edition, budgets.list_namespaced_pod_disruption_budget, lambda b: b["status"].get("disruptionsAllowed")
    )
    assert allowing["status"]["disruptionsAllowed"] == 1

    pods = (await core.list_namespaced_pod("default", label_selector=SELECTOR)).items
    memkube.behaviors.put("slow", {"image": "nginx:*", "startDelaySeconds": 30})
    codes = await asyncio.gather(*(_evicted(edition, core, pod.metadata.name) for pod in pods))
    assert sorted(codes) == [201, 429, 429, 429, 429], "of five that ask at once one is let go"


async def _evicted(edition: Any, core: Any, name: str) -> int:
    eviction = edition.client.V1Eviction(metadata=edition.client.V1ObjectMeta(name=name))
    try:
        await core.create_namespaced_pod_eviction(name, "default", eviction)
    except edition.client.ApiException as refused:
        return int(refused.status)
    return 201


@pytest.mark.memkube(clock="stepped")
async def test_a_log_is_followed_while_it_is_written(async_memkube: AsyncMemkube, edition: Any, core: Any) -> None:
    await core.create_namespaced_pod("default", pod("writer", WRITES_EACH_20_SECONDS))
    await async_memkube.clock.advance(1)
    # Without the return type, kubernetes.aio 37.0 treats the end of a log like the end of a watch, and requests the log
    # again without end.
    watching = edition.watch.Watch(return_type="str")
    async with watching.stream(core.read_namespaced_pod_log, "writer", "default") as log:
        lines = []
        async for line in log:
            lines.append(line.rstrip())
            await async_memkube.clock.advance(20)
    assert lines == ["line 1", "line 2", "line 3"]
    assert await core.read_namespaced_pod_log("writer", "default", tail_lines=1) == "line 3\n"


def _raw(call: Any) -> Any:
    """Return a call that returns the response instead of its data. The two clients have different names for it."""
    raw = getattr(call.__self__, f"{call.__name__}_without_preload_content", None)
    return raw or partial(call, _preload_content=False)


async def test_a_shell_is_typed_into(edition: Any, api_client: Any, core: Any) -> None:
    await _started(edition, core, "web")
    async with edition.stream.WsApiClient(api_client.configuration) as sockets:
        connect = edition.client.CoreV1Api(sockets).connect_get_namespaced_pod_exec
        streams = {"stdin": True, "stdout": True, "stderr": True, "tty": False}
        shell = await _raw(connect)("web", "default", command=["sh"], **streams)
        printed: dict[int, bytes] = {}
        async with shell as socket:
            await socket.send_bytes(b"\0echo out of $HOSTNAME; echo wrong >&2; exit 3\n")
            async for message in socket:
                printed[message.data[0]] = printed.get(message.data[0], b"") + message.data[1:]
        words = ["sh", "-c", "echo hello; hostname"]
        assert await connect("web", "default", command=words, **streams | {"stdin": False}) == "hello\nweb\n"
    assert (printed[1], printed[2]) == (b"out of web\n", b"wrong\n")
    assert edition.stream.WsApiClient.parse_error_data(printed[3]) == 3


async def test_a_port_is_spoken_http_to_through_a_websocket(edition: Any, api_client: Any, core: Any) -> None:
    await _started(edition, core, "web")
    async with edition.stream.WsApiClient(api_client.configuration) as sockets:
        connect = edition.client.CoreV1Api(sockets).connect_get_namespaced_pod_portforward
        async with await _raw(connect)("web", "default", ports="80") as socket:
            assert [(await socket.receive()).data for _ in range(2)] == [b"\0P\0", b"\1P\0"], "the port, on both"
            await socket.send_bytes(b"\0GET / HTTP/1.1\r\nHost: web\r\nConnection: close\r\n\r\n")
            answer = b""
            while b"web\n" not in answer:
                answer += (await socket.receive()).data[1:]
    assert answer.startswith(b"HTTP/1.1 200")


async def test_a_deployment_is_changed_in_every_way_that_a_patch_has(edition: Any, apps: Any) -> None:
    await apps.create_namespaced_deployment("default", deployment())
    patch = apps.patch_namespaced_deployment
    changed = {"containers": [{"name": "web", "env": [{"name": "A", "value": "1"}]}]}
    strategic = await patch("web", "default", {"spec": {"template": {"spec": changed}}})
    assert strategic.spec.template.spec.containers[0].image == "nginx:1", "merged into the container of that name"
    operations = [
        {"op": "test", "path": "/spec/replicas", "value": 3},
        {"op": "replace", "path": "/spec/replicas", "value": 1},
    ]
    assert (await patch("web", "default", operations)).spec.replicas == 1
    merged = await patch("web", "default", {"spec": {"paused": True}}, _content_type=_MERGE)
    assert merged.spec.paused

    applied = {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"replicas": 7}}
    with pytest.raises(edition.client.ApiException) as conflict:
        await patch("web", "default", applied, field_manager="scaler", _content_type=_APPLY)
    assert (conflict.value.status, ".spec.replicas" in conflict.value.body) == (409, True)
    forced = await patch("web", "default", applied, field_manager="scaler", force=True, _content_type=_APPLY)
    assert forced.spec.replicas == 7


async def test_manifests_and_custom_kinds_are_created_and_used(edition: Any, api_client: Any, tmp_path: Path) -> None:
    manifest = tmp_path / "site.yaml"
    manifest.write_text(yaml.dump_all([site_definition(), config_map("settings")]))
    await edition.utils.create_from_yaml(api_client, str(manifest))
    definitions = edition.client.ApiextensionsV1Api(api_client)
    async with edition.watch.Watch().stream(
        definitions.list_custom_resource_definition, timeout_seconds=_HOUR
    ) as events:
        async for event in events:
            if condition(event["raw_object"], "Established")["status"] == "True":
                break
    found = await edition.dynamic.DynamicClient(api_client)
    sites = await found.resources.get(api_version="example.com/v1", kind="Site")
    made = await sites.server_side_apply(body=site("web"), namespace="default", field_manager="we")
    assert made.spec.replicas == 1
    await sites.status.patch(name="web", namespace="default", body={"status": {"phase": "Up"}}, content_type=_MERGE)
    custom = edition.client.CustomObjectsApi(api_client)
    listed = await custom.list_namespaced_custom_object("example.com", "v1", "default", "sites")
    assert [(item["metadata"]["name"], item["status"]) for item in listed["items"]] == [("web", {"phase": "Up"})]


async def test_a_list_is_read_page_by_page(edition: Any, core: Any) -> None:
    names = [f"settings-{number}" for number in range(7)]
    await asyncio.gather(*(core.create_namespaced_config_map("default", config_map(name)) for name in names))
    listed: list[str] = []
    token, left = None, []
    while token != "":
        page = await core.list_namespaced_config_map("default", limit=3, _continue=token)
        listed += [found.metadata.name for found in page.items]
        left.append(page.metadata.remaining_item_count)
        token = page.metadata._continue or ""
    assert [name for name in listed if name in names] == names
    assert left == [5, 2, None], "the certificates of the cluster are there, too"


@pytest.mark.memkube(clock="stepped")
async def test_of_two_candidates_one_leads_until_it_is_stopped(
    edition: Any, async_memkube: AsyncMemkube, api_client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = AsyncClusterTime(async_memkube)
    monkeypatch.setattr(edition.leaderelection, "time", clock)
    monkeypatch.setattr(edition.leaderelection, "asyncio", clock)
    led: list[str] = []

    def candidate(name: str) -> Any:
        async def note(what: str) -> None:
            led.append(f"{name} {what}")

        lock = edition.LeaseLock("operator", "default", name, api_client)
        periods = {"lease_duration": 15, "renew_deadline": 10, "retry_period": 2}
        configured = edition.ElectionConfig(
            lock, onstarted_leading=lambda: note("leads"), onstopped_leading=lambda: note("stopped"), **periods
        )
        return edition.leaderelection.LeaderElection(configured)

    # kubernetes.aio 37.0 cannot create a lease itself, because its own types refuse the parameter pretty=True that it
    # sends.
    lease = {"metadata": {"name": "operator"}, "spec": {}}
    await edition.client.CoordinationV1Api(api_client).create_namespaced_lease("default", lease)
    first = clock.run(candidate("first").run)
    await clock.advance(1)
    clock.run(candidate("second").run)
    await clock.advance(30)
    assert led == ["first leads"], "which renews its lease every two seconds"
    first.cancel()
    await clock.advance(10)
    assert led == ["first leads"], "its lease has not run out"
    await clock.advance(10)
    assert led == ["first leads", "second leads"]
    await clock.end()


async def test_an_informer_keeps_up_with_watches_that_break(memkube: Memkube, edition: Any, core: Any) -> None:
    informer = AsyncInformer(edition, core)
    await informer.keep_up_until(lambda known: "kube-root-ca.crt" in known)
    breaks = faults.close_watch(dropped=True, after_events=1)
    with memkube.faults.add(breaks, verb="watch", resource="configmaps", user_agent="OpenAPI-Generator*") as fault:
        for number in range(3):
            await core.create_namespaced_config_map("default", config_map(f"settings-{number}"))
        await informer.keep_up_until(lambda known: "settings-2" in known)
    assert (informer.lists, fault.hits >= 2) == (1, True)

    await core.delete_namespaced_config_map("settings-0", "default")
    await core.create_namespaced_config_map("default", config_map("settings-3"))
    memkube.faults.compact_history()
    await informer.keep_up_until(lambda known: "settings-3" in known)
    assert informer.lists == 2
    assert set(informer.known) == {"kube-root-ca.crt", "settings-1", "settings-2", "settings-3"}


async def test_a_refusal_says_when_to_try_again(memkube: Memkube, edition: Any, core: Any) -> None:
    refusal = faults.error(429, retry_after=3)
    with memkube.faults.add(refusal, verb="create", resource="configmaps", first=1) as fault:
        with pytest.raises(edition.client.ApiException) as refused:
            await core.create_namespaced_config_map("default", config_map("settings"))
        assert refused.value.headers["Retry-After"] == "3"
        await core.create_namespaced_config_map("default", config_map("settings"))
    assert (fault.matched, fault.hits) == (2, 1)


async def test_a_list_whose_continuation_has_expired_is_gone_on_with_at_the_newest(
    memkube: Memkube, edition: Any, core: Any
) -> None:
    memkube.apply([config_map(f"settings-{number}") for number in range(4)])
    first = await core.list_namespaced_config_map("default", limit=2)
    await core.delete_namespaced_config_map("settings-2", "default")
    memkube.faults.compact_history()
    with pytest.raises(edition.client.ApiException) as gone:
        await core.list_namespaced_config_map("default", limit=2, _continue=first.metadata._continue)
    assert gone.value.status == 410
    token = json.loads(gone.value.body)["metadata"]["continue"]
    rest = await core.list_namespaced_config_map("default", _continue=token)
    assert [found.metadata.name for found in rest.items] == ["settings-1", "settings-3"]
