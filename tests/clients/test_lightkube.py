"""Programs with lightkube that deploy, wait, apply, watch and inspect pods."""

import time
from collections.abc import AsyncIterator, Iterator

import anyio
import pytest
import yaml
from lightkube import ApiError, AsyncClient, Client, KubeConfig
from lightkube.codecs import load_all_yaml, resource_registry
from lightkube.core.exceptions import ConditionError
from lightkube.models.autoscaling_v1 import ScaleSpec
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.apiextensions_v1 import CustomResourceDefinition
from lightkube.resources.apps_v1 import Deployment
from lightkube.resources.batch_v1 import Job
from lightkube.resources.core_v1 import ConfigMap, Pod
from lightkube.resources.policy_v1 import PodDisruptionBudget
from lightkube.types import CascadeType, OnErrorAction, OnErrorResult, PatchType

from memkube import AsyncMemkube, Memkube, faults
from tests.clients.cluster_time import read_on
from tests.clients.workloads import (
    LABELS,
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

pytestmark = [pytest.mark.slow, pytest.mark.memkube(nodes=2, clock="x20")]


@pytest.fixture
def kube(memkube: Memkube) -> Iterator[Client]:
    with Client(KubeConfig.from_file(str(memkube.kubeconfig)), field_manager="lightkube") as connected:
        yield connected


@pytest.fixture
async def async_kube(memkube: Memkube) -> AsyncIterator[AsyncClient]:
    async with AsyncClient(KubeConfig.from_file(str(memkube.kubeconfig)), field_manager="lightkube") as connected:
        yield connected


def _until_rolled_out(kube: Client, image: str) -> Deployment:
    for kind, found in kube.watch(Deployment, fields={"metadata.name": "web"}):
        written = found.to_dict()
        runs = written["spec"]["template"]["spec"]["containers"][0]["image"]
        if kind != "DELETED" and runs == image and is_rolled_out(written):
            return found
    raise AssertionError("the watch has ended")


def test_a_deployment_is_rolled_out_scaled_and_taken_down(kube: Client) -> None:
    kube.create(Deployment.from_dict(deployment()))
    kube.wait(Deployment, "web", for_conditions=["Available"])
    containers = [{"name": "web", "image": "nginx:2"}]
    kube.patch(Deployment, "web", {"spec": {"template": {"spec": {"containers": containers}}}})
    _until_rolled_out(kube, "nginx:2")

    scale = Deployment.Scale(metadata=ObjectMeta(name="web", namespace="default"), spec=ScaleSpec(replicas=5))
    assert kube.replace(scale, "web").status.replicas == 3
    rolled_out = _until_rolled_out(kube, "nginx:2")
    assert rolled_out.status.readyReplicas == 5
    kube.delete(Deployment, "web", cascade=CascadeType.FOREGROUND)
    # The watch starts at an earlier revision, because the object may be deleted by now.
    since = rolled_out.metadata.resourceVersion
    for kind, _ in kube.watch(Deployment, fields={"metadata.name": "web"}, resource_version=since):
        if kind == "DELETED":
            break
    assert list(kube.list(Pod, labels=LABELS)) == []


def test_who_waits_for_a_job_is_told_why_it_failed(kube: Client) -> None:
    template = pod("", "exit 3")["spec"]
    job = {"metadata": {"name": "import"}, "spec": {"backoffLimit": 1, "template": {"spec": template}}}
    kube.create(Job.from_dict(job))
    with pytest.raises(ConditionError, match="Job has reached the specified backoff limit"):
        kube.wait(Job, "import", for_conditions=["Complete"], raise_for_conditions=["Failed"])


def test_a_deployment_is_changed_in_every_way_that_a_patch_has(kube: Client) -> None:
    kube.create(Deployment.from_dict(deployment()))
    container: Document = {"name": "web", "env": [{"name": "A", "value": "1"}]}
    strategic = kube.patch(Deployment, "web", {"spec": {"template": {"spec": {"containers": [container]}}}})
    assert strategic.to_dict()["spec"]["template"]["spec"]["containers"][0]["image"] == "nginx:1"
    operations = [{"op": "test", "path": "/spec/replicas", "value": 3}, {"op": "remove", "path": "/spec/replicas"}]
    defaulted = kube.patch(Deployment, "web", operations, patch_type=PatchType.JSON)
    merged = kube.patch(Deployment, "web", {"spec": {"paused": True}}, patch_type=PatchType.MERGE)
    assert (defaulted.to_dict()["spec"]["replicas"], merged.to_dict()["spec"]["paused"]) == (1, True)
    annotated = kube.set(Deployment, "web", annotations={"example.com/owner": "we"})
    assert annotated.to_dict()["metadata"]["annotations"]["example.com/owner"] == "we"


def test_two_managers_apply_and_one_of_them_insists(kube: Client) -> None:
    kube.apply(ConfigMap.from_dict(config_map("settings", colour="blue", size="1")), field_manager="we")
    theirs = ConfigMap.from_dict(config_map("settings", colour="red"))
    with pytest.raises(ApiError, match=r'conflict with "we": \.data\.colour') as conflict:
        kube.apply(theirs, field_manager="they")
    assert (conflict.value.status.code, conflict.value.status.reason) == (409, "Conflict")
    assert kube.apply(theirs, field_manager="they", force=True, dry_run=True).data == {"colour": "red", "size": "1"}
    assert kube.get(ConfigMap, "settings").data == {"colour": "blue", "size": "1"}, "it was a rehearsal"


def test_manifests_with_a_definition_are_applied_and_its_kind_used(kube: Client) -> None:
    documents = yaml.dump_all([site_definition(), site("web", replicas=2)])
    try:
        definition, web = load_all_yaml(documents, create_resources_for_crds=True)
        kind = type(web)
        kube.apply(definition)
        kube.wait(CustomResourceDefinition, "sites.example.com", for_conditions=["Established"])
        kube.apply(web)
        kube.patch(kind.Status, "web", {"status": {"phase": "Up"}}, patch_type=PatchType.MERGE)
        assert kube.get(kind.Scale, "web").spec.replicas == 2
        assert [(one.metadata.name, one.status) for one in kube.list(kind)] == [("web", {"phase": "Up"})]
        with pytest.raises(ApiError, match=r"spec\.replicas in body must be of type integer"):
            kube.create(kind(site("bad", replicas="many")))
    finally:
        resource_registry.clear()


@pytest.mark.memkube(clock="stepped")
def test_a_log_is_followed_while_it_is_written(memkube: Memkube, kube: Client) -> None:
    kube.create(Pod.from_dict(pod("writer", WRITES_EACH_20_SECONDS)))
    memkube.clock.advance(1)
    kube.wait(Pod, "writer", for_conditions=["Ready"])
    followed = kube.log("writer", follow=True, newlines=False)
    assert read_on(memkube, followed, 20) == ["line 1", "line 2", "line 3"]
    assert list(kube.log("writer", tail_lines=1)) == ["line 3\n"]


def test_a_command_is_given_its_input_and_ends_with_its_status(kube: Client) -> None:
    kube.create(Pod.from_dict(pod("web")))
    kube.wait(Pod, "web", for_conditions=["Ready"])
    script = ["sh", "-c", "cat; echo wrong >&2; exit 3"]
    done = kube.exec("web", command=script, stdin="one\ntwo\n", stdout=True, stderr=True, timeout=60)
    assert (done.exit_code, done.stdout, done.stderr) == (3, "one\ntwo\n", "wrong\n")
    with pytest.raises(ApiError, match="command terminated with exit code 3"):
        kube.exec("web", command=script, stdin="", stdout=True, raise_on_error=True, timeout=60)


def test_a_drain_waits_for_the_budget(memkube: Memkube, kube: Client) -> None:
    kube.create(Deployment.from_dict(deployment()))
    _until_rolled_out(kube, "nginx:1")
    kube.create(PodDisruptionBudget.from_dict(budget(2)))
    kube.wait(PodDisruptionBudget, "web", for_conditions=["DisruptionAllowed"])
    before = {one.metadata.name for one in kube.list(Pod, labels=LABELS)}
    memkube.behaviors.put("slow", {"image": "nginx:*", "startDelaySeconds": 30})
    codes = [code for name in sorted(before) for code in _evicted(kube, name)]
    assert set(codes) == {429}
    _until_created(kube, 3, before)
    after = {one.metadata.name for one in kube.list(Pod, labels=LABELS) if not one.metadata.deletionTimestamp}
    assert (len(after), after & before) == (3, set())


def _until_created(kube: Client, count: int, before: set[str]) -> None:
    """Wait until `count` pods exist that are not in `before`."""
    created: set[str] = set()
    for _, found in kube.watch(Pod, labels=LABELS):
        created |= {found.metadata.name} - before
        if len(created) == count:
            return


def _evicted(kube: Client, name: str) -> list[int]:
    """Evict a pod, and retry while the disruption budget refuses. Return the status codes of the refusals."""
    refusals = []
    eviction = Pod.Eviction(metadata=ObjectMeta(name=name, namespace="default"))
    while True:
        try:
            kube.create(eviction, name)
        except ApiError as refused:
            refusals.append(refused.status.code)
            time.sleep(0.02)
        else:
            return refusals


@pytest.mark.anyio
async def test_many_are_created_at_once_and_listed_in_chunks(async_kube: AsyncClient) -> None:
    names = [f"settings-{number:02}" for number in range(20)]
    async with anyio.create_task_group() as group:
        for name in names:
            group.start_soon(async_kube.create, ConfigMap.from_dict(config_map(name)))
    listed = [one.metadata.name async for one in async_kube.list(ConfigMap, chunk_size=3)]
    assert [name for name in listed if name in names] == names


@pytest.mark.anyio
@pytest.mark.memkube(clock="stepped")
async def test_a_watch_goes_on_when_the_server_ends_it(async_memkube: AsyncMemkube, async_kube: AsyncClient) -> None:
    listed = async_kube.list(ConfigMap)
    known = {one.metadata.name async for one in listed}
    events = async_kube.watch(ConfigMap, server_timeout=60, resource_version=listed.resourceVersion)

    async def change() -> None:
        await async_memkube.clock.advance(70)
        await async_kube.create(ConfigMap.from_dict(config_map("settings")))

    async with anyio.create_task_group() as group:
        group.start_soon(change)
        kind, found = await anext(events)
    assert (kind, found.metadata.name, known) == ("ADDED", "settings", {"kube-root-ca.crt"})


def _go_on(error: Exception, count: int) -> OnErrorResult:
    """Retry a watch after an error, at most five times."""
    return OnErrorResult(OnErrorAction.RETRY if count < 5 else OnErrorAction.RAISE)


def test_a_watch_misses_nothing_when_its_connection_is_dropped(memkube: Memkube, kube: Client) -> None:
    events = kube.watch(ConfigMap, fields={"metadata.name": "settings"}, on_error=_go_on)
    kube.create(ConfigMap.from_dict(config_map("settings", number="0")))
    seen = [next(events)]
    drops = faults.close_watch(dropped=True, after_events=1)
    with memkube.faults.add(drops, verb="watch", resource="configmaps", user_agent="python-httpx*") as fault:
        for number in range(1, 5):
            kube.patch(ConfigMap, "settings", {"data": {"number": str(number)}})
            seen.append(next(events))
    assert [(kind, found.data["number"]) for kind, found in seen] == [
        ("ADDED" if number == 0 else "MODIFIED", str(number)) for number in range(5)
    ]
    assert fault.hits == 4


def test_a_watch_begins_anew_where_history_is_forgotten(memkube: Memkube, kube: Client) -> None:
    events = kube.watch(ConfigMap, fields={"metadata.name!": "kube-root-ca.crt"}, on_error=_go_on)
    kube.create(ConfigMap.from_dict(config_map("before")))
    assert next(events)[0] == "ADDED"
    with memkube.faults.add(faults.hold_events(), verb="watch", resource="configmaps"):
        kube.delete(ConfigMap, "before")
        kube.create(ConfigMap.from_dict(config_map("after")))
        memkube.faults.compact_history()
        memkube.faults.close_watches(resource="configmaps")
    kind, found = next(events)
    assert (kind, found.metadata.name) == ("ADDED", "after"), "nothing tells of the deletion: the program has to"


def test_a_list_in_chunks_that_expires_is_read_again(memkube: Memkube, kube: Client) -> None:
    for number in range(5):
        kube.create(ConfigMap.from_dict(config_map(f"settings-{number}")))
    listed = iter(kube.list(ConfigMap, chunk_size=2))
    assert next(listed).metadata.name == "kube-root-ca.crt"
    kube.delete(ConfigMap, "settings-0")
    memkube.faults.compact_history()
    with pytest.raises(ApiError) as expired:
        list(listed)
    assert (expired.value.status.code, expired.value.status.reason) == (410, "Expired")
    assert len(list(kube.list(ConfigMap, chunk_size=2))) == 5


def test_a_refusal_says_when_to_try_again(memkube: Memkube, kube: Client) -> None:
    settings = ConfigMap.from_dict(config_map("settings"))
    with memkube.faults.add(faults.error(429, retry_after=3), verb="create", resource="configmaps", first=1):
        with pytest.raises(ApiError) as refused:
            kube.create(settings)
        assert refused.value.response.headers["Retry-After"] == "3"
        assert refused.value.status.details.retryAfterSeconds == 3
        kube.create(settings)
