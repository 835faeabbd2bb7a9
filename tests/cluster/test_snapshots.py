"""Saving, restoring and forking a cluster's objects and other state."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

import memkube
from tests.cluster.saved import config_map, texts

_GADGETS = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: gadgets, singular: gadget, kind: Gadget}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}
---
apiVersion: example.com/v1
kind: Gadget
metadata: {name: first}
spec: {size: 3}
"""


_PART = """
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  volumes: [{name: v, emptyDir: {}}]
  containers:
  - name: main
    image: busybox
    command: [sh, -c, echo one > /part/file; sleep 3600]
    env: [{name: POD, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]
    volumeMounts: [{name: v, mountPath: /v}, {name: v, mountPath: /part, subPathExpr: parts/$(POD)}]
"""
_CLAIM = """
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
"""
_WRITER = """
apiVersion: v1
kind: Pod
metadata: {name: NAME}
spec:
  volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]
  containers:
  - name: main
    image: busybox
    command: [sh, -c, 'echo NAME >> /data/log; cat /data/log; sleep 1d']
    volumeMounts: [{name: v, mountPath: /data}]
"""


@pytest.fixture
def kube() -> Iterator[memkube.Memkube]:
    with memkube.Memkube(nodes=2, clock="stepped") as started:
        yield started


@pytest.fixture
def bare() -> Iterator[memkube.Memkube]:
    with memkube.Memkube(controllers="none") as started:
        yield started


def test_a_restored_server_has_the_objects_and_revisions_that_it_had(bare: memkube.Memkube) -> None:
    bare.apply(config_map("stays", text="a"), config_map("changes", text="a"), config_map("goes"))
    saved = bare.snapshot()
    bare.apply(config_map("changes", text="b"), config_map("comes"))
    httpx.delete(f"{bare.url}/api/v1/namespaces/default/configmaps/goes", trust_env=False)
    bare.restore(saved)
    assert texts(bare.snapshot()) == texts(saved)
    assert bare.revision() > saved.revision


def test_a_write_goes_on_behind_every_revision_that_was_used(bare: memkube.Memkube) -> None:
    saved = bare.snapshot()
    (before,) = bare.apply(config_map("a"))
    bare.restore(saved)
    (after,) = bare.apply(config_map("a"))
    assert int(after["metadata"]["resourceVersion"]) > int(before["metadata"]["resourceVersion"])
    assert after["metadata"]["uid"] != before["metadata"]["uid"]


def test_custom_kinds_come_and_go_with_their_definitions(bare: memkube.Memkube) -> None:
    without = bare.snapshot()
    bare.apply(_GADGETS)
    having = bare.snapshot()
    bare.restore(without)
    with pytest.raises(memkube.Refused):
        bare.objects("gadgets")
    bare.restore(having)
    assert bare.object("gadgets", "first")["spec"] == {"size": 3}
    with pytest.raises(memkube.Refused, match="expected numeric"):
        bare.apply({"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": "b"}, "spec": {"size": "l"}})


def test_a_stepped_clock_goes_back(kube: memkube.Memkube) -> None:
    saved = kube.snapshot()
    kube.clock.advance(3600)
    kube.restore(saved)
    assert kube.clock.now() == saved.now


def test_nodes_behaviours_and_listeners_are_as_they_were(kube: memkube.Memkube) -> None:
    kube.nodes.fail("node-1")
    kube.behaviors.put("slow", {"image": "slow:*", "pullSeconds": 5})
    kube.webhooks.put(("default", "hooks", 443), 9443)
    saved = kube.snapshot()
    kube.nodes.recover("node-1")
    kube.behaviors.delete("slow")
    kube.webhooks.delete(("default", "hooks", 443))
    kube.restore(saved)
    assert [node.failed for node in kube.nodes] == [True, False]
    assert list(kube.behaviors.all()) == ["slow"]
    assert [listener.port for listener in kube.webhooks.all().values()] == [9443]


def test_files_of_persistent_volumes_are_as_they_were(kube: memkube.Memkube, tmp_path: Path) -> None:
    kube.apply(_CLAIM, _WRITER.replace("NAME", "first"))
    kube.clock.advance(30)
    kube.snapshot().save(tmp_path / "saved.jsonl")
    with memkube.Memkube(snapshot=tmp_path / "saved.jsonl") as started:
        started.apply(_WRITER.replace("NAME", "second"))
        started.clock.advance(30)
        log = httpx.get(f"{started.url}/api/v1/namespaces/default/pods/second/log", trust_env=False).text
        assert log == "first\nsecond\n"


def test_a_container_still_sees_the_part_of_a_volume_that_it_mounts(kube: memkube.Memkube) -> None:
    kube.apply(_PART)
    kube.clock.advance(1)
    kube.restore(kube.snapshot())
    kube.clock.advance(1)
    assert kube.exec("web", ["cat", "/part/file", "/v/parts/web/file"]).stdout == "one\none\n"


def service(name: str, port: int) -> dict[str, Any]:
    spec = {"type": "NodePort", "ports": [{"port": 80, "nodePort": port}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec}


def test_ports_and_addresses_are_those_of_the_services_that_are_there(bare: memkube.Memkube) -> None:
    (before,) = bare.apply(service("a", 30100))
    saved = bare.snapshot()
    httpx.delete(f"{bare.url}/api/v1/namespaces/default/services/a", trust_env=False)
    bare.apply(service("b", 30200))
    bare.restore(saved)
    with pytest.raises(memkube.Refused, match="provided port is already allocated"):
        bare.apply(service("c", 30100))
    (after,) = bare.apply(service("c", 30200))
    assert after["spec"]["clusterIP"] != before["spec"]["clusterIP"]


def test_a_fork_believes_the_tokens_of_the_first_one(bare: memkube.Memkube, tmp_path: Path) -> None:
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}}
    bare.apply(account)
    path = "/api/v1/namespaces/default/serviceaccounts/robot/token"
    asked = httpx.post(bare.url + path, json={}, trust_env=False).json()
    bare.snapshot().save(tmp_path / "saved.jsonl")
    review = {"spec": {"token": asked["status"]["token"]}}
    with memkube.Memkube(controllers="none", snapshot=tmp_path / "saved.jsonl") as forked:
        reviews = f"{forked.url}/apis/authentication.k8s.io/v1/tokenreviews"
        assert httpx.post(reviews, json=review, trust_env=False).json()["status"]["authenticated"] is True


def test_a_fork_goes_its_own_way(bare: memkube.Memkube) -> None:
    bare.apply(config_map("a", text="both"))
    with bare.fork() as forked:
        forked.apply(config_map("a", text="forked"))
        bare.apply(config_map("a", text="here"))
        assert forked.object("configmaps", "a")["data"] == {"text": "forked"}
        assert bare.object("configmaps", "a")["data"] == {"text": "here"}
        bare.restore(forked.snapshot())
        assert bare.object("configmaps", "a")["data"] == {"text": "forked"}


def test_a_fork_begins_where_the_first_cluster_is_and_not_where_that_began() -> None:
    pools = [{"name": "db", "count": 2}]
    start = datetime(2030, 1, 1, tzinfo=UTC)
    with memkube.Memkube(clock="stepped", start=start, node_pools=pools, controllers="kubelet") as kube:
        kube.nodes.remove("db-0")
        now = kube.clock.advance(60)
        with kube.fork() as forked:
            assert forked.clock.now() == now
            assert [node.name for node in forked.nodes] == ["db-1"]
            assert [node.name for node in forked.nodes.add("db")] == [node.name for node in kube.nodes.add("db")]


def test_a_fork_of_a_cluster_in_a_file_is_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "cluster.db"
    with memkube.Memkube(controllers="none", storage=f"sqlite:{path}") as kube:
        kube.apply(config_map("a", text="both"))
        with kube.fork() as forked:
            forked.apply(config_map("a", text="forked"))
        assert kube.object("configmaps", "a")["data"] == {"text": "both"}


def test_a_snapshot_brings_its_clock_unless_another_is_chosen(kube: memkube.Memkube, tmp_path: Path) -> None:
    kube.snapshot().save(tmp_path / "saved.jsonl")
    with memkube.Memkube(snapshot=str(tmp_path / "saved.jsonl")) as started:
        assert started.clock.now() == kube.clock.now()
        assert len(list(started.nodes)) == 2
    with memkube.Memkube(snapshot=tmp_path / "saved.jsonl", clock="real") as started, pytest.raises(memkube.Refused):
        started.clock.advance(1)


def test_what_is_no_snapshot_is_refused_with_the_name_of_its_file(bare: memkube.Memkube, tmp_path: Path) -> None:
    path = tmp_path / "none.jsonl"
    path.write_text('{"apiVersion": "v1"}\n')
    with pytest.raises(memkube.SnapshotError, match=r"none\.jsonl: line 1: the file is not a memkube snapshot"):
        bare.restore(path)


@pytest.mark.anyio
async def test_an_awaited_cluster_is_restored_and_forked(anyio_backend: str) -> None:
    async with memkube.Memkube(controllers="none") as kube:
        saved = await kube.snapshot()
        await kube.apply(config_map("a"))
        async with await kube.fork() as forked:
            await kube.restore(saved)
            assert await forked.object("configmaps", "a")
            with pytest.raises(memkube.Refused):
                await kube.object("configmaps", "a")
