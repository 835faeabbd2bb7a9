"""A cluster that is saved, restored and forked, with what runs in it."""

import random
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest

import memkube
from memkube.registry.stored import StoredObject

_BUSY = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      volumes: [{name: shared, emptyDir: {}}]
      containers:
      - name: counts
        image: busybox
        command:
        - sh
        - -c
        - trap "echo stopped; exit 0" TERM; while true; do i=$((i+1)); echo $i >> /shared/log; sleep 3; done
        volumeMounts: [{name: shared, mountPath: /shared}]
      - name: reads
        image: busybox
        command: [sh, -c, 'while sleep 7; do wc -l /shared/log; date +%s; done']
        volumeMounts: [{name: shared, mountPath: /shared}]
---
apiVersion: v1
kind: Pod
metadata: {name: crashes}
spec:
  containers:
  - {name: main, image: busybox, command: [sh, -c, 'echo begins; sleep 2; echo ends; exit 3']}
---
apiVersion: v1
kind: Pod
metadata: {name: probed}
spec:
  containers:
  - name: main
    image: nginx
    readinessProbe: {exec: {command: [test, -f, /tmp/ready]}, periodSeconds: 5}
    lifecycle: {postStart: {exec: {command: [touch, /tmp/other]}}}
---
apiVersion: v1
kind: Pod
metadata: {name: unpullable}
spec: {containers: [{name: main, image: 'broken:1'}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: fails}
spec:
  backoffLimit: 6
  template:
    spec: {restartPolicy: Never, containers: [{name: main, image: busybox, command: ['false']}]}
---
apiVersion: v1
kind: Pod
metadata: {name: waits}
spec: {containers: [{name: main, image: nginx, envFrom: [{configMapRef: {name: missing}}]}]}
---
apiVersion: v1
kind: Pod
metadata: {name: unschedulable}
spec: {nodeSelector: {no: such}, containers: [{name: main, image: nginx}]}
"""
_by_chance = re.compile(
    r'fails-[a-z0-9]{5}\b|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|memkube://[0-9a-f]+|"resourceVersion":"[0-9]+"'
)
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


def config_map(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


@pytest.fixture
def kube() -> Iterator[memkube.Memkube]:
    with memkube.Memkube(nodes=2, clock="stepped") as started:
        yield started


@pytest.fixture
def bare() -> Iterator[memkube.Memkube]:
    with memkube.Memkube(controllers="none") as started:
        yield started


def texts(snapshot: memkube.Snapshot) -> dict[str, bytes]:
    """Every object as bytes, and the world, as a file has them."""
    objects: dict[str, StoredObject] = dict(snapshot.objects.objects)
    return {key: stored.data for key, stored in objects.items()}


def logs(kube: memkube.Memkube) -> dict[str, str]:
    """What every container has written."""
    found = {}
    for pod in kube.objects("pods"):
        for container in pod["spec"]["containers"]:
            name = pod["metadata"]["name"]
            path = f"/api/v1/namespaces/default/pods/{name}/log?timestamps=true&container={container['name']}"
            found[f"{name}/{container['name']}"] = httpx.get(kube.url + path, trust_env=False).text
    return found


def alike(kube: memkube.Memkube) -> list[str]:
    """All objects, but for what is by chance or counts revisions, and for the order of events of one instant."""
    found = []
    for data in texts(kube.snapshot()).values():
        document = orjson.loads(data)
        if document["kind"] == "Event":
            del document["metadata"]["name"], document["metadata"]["uid"]
        found.append(_by_chance.sub("*", orjson.dumps(document).decode()))
    return sorted(found)


def alike_logs(kube: memkube.Memkube) -> list[str]:
    """What every container has written, by names of which nothing is by chance."""
    return sorted(_by_chance.sub("*", f"{name}: {text}") for name, text in logs(kube).items())


def write_something(kube: memkube.Memkube, chance: random.Random) -> None:
    name = f"c{chance.randrange(20)}"
    match chance.randrange(4):
        case 0:
            path = f"{kube.url}/api/v1/namespaces/default/configmaps/{name}"
            httpx.delete(path, trust_env=False)
        case 1:
            kube.clock.advance(chance.choice((0.5, 3, 11)))
        case _:
            kube.apply(config_map(name, text=str(chance.random())))


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


@pytest.mark.parametrize("seconds", [1, 100])
def test_what_ran_runs_and_goes_on_as_it_would_have(kube: memkube.Memkube, seconds: int, tmp_path: Path) -> None:
    kube.behaviors.put("broken", {"image": "broken:*", "pullError": "no such image"})
    kube.apply(_BUSY)
    kube.clock.advance(seconds)
    kube.nodes.fail("node-2")
    kube.clock.advance(11)
    saved = kube.snapshot()
    saved.save(tmp_path / "saved.jsonl")
    kept = logs(kube)
    with kube.fork() as forked, memkube.Memkube(snapshot=tmp_path / "saved.jsonl") as read:
        assert texts(forked.snapshot()) == texts(read.snapshot()) == texts(saved)
        for other in (forked, read):
            assert logs(other) == kept
            other.clock.advance(45)
        kube.clock.advance(45)
        assert alike(forked) == alike(read) == alike(kube)
        assert alike_logs(forked) == alike_logs(read) == alike_logs(kube)


@pytest.mark.parametrize("seed", range(2))
def test_random_writes_are_taken_back_and_the_world_with_them(kube: memkube.Memkube, seed: int) -> None:
    chance = random.Random(seed)
    kube.apply(_BUSY)
    for _ in range(15):
        write_something(kube, chance)
    saved, kept = kube.snapshot(), logs(kube)
    for _ in range(15):
        write_something(kube, chance)
    kube.restore(saved)
    again = kube.snapshot()
    assert texts(again) == texts(saved)
    assert {name: list(state) for name, state in again.states.items()} == dict(saved.states)
    assert logs(kube) == kept


def test_a_restored_pod_hears_the_signal_that_its_script_has_a_trap_for(kube: memkube.Memkube) -> None:
    kube.apply(_BUSY)
    kube.clock.advance(100)
    with kube.fork() as forked:
        pod = next(pod for pod in forked.objects("pods", labels="app=web"))
        name = pod["metadata"]["name"]
        httpx.delete(f"{forked.url}/api/v1/namespaces/default/pods/{name}?gracePeriodSeconds=60", trust_env=False)
        forked.clock.advance(3)
        log = f"{forked.url}/api/v1/namespaces/default/pods/{name}/log?container=counts"
        assert httpx.get(log, trust_env=False).text == "stopped\n"


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
    with pytest.raises(memkube.SnapshotError, match=r"none\.jsonl: line 1: this is no snapshot of memkube"):
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


@pytest.mark.parametrize("clock", ["real", "x60"])
def test_a_clock_that_runs_goes_on(clock: str) -> None:
    with memkube.Memkube(clock=clock) as kube:
        kube.apply(_BUSY)
        kube.wait_for("pods", "probed", lambda pod: pod["status"]["phase"] == "Running")
        saved, before = kube.snapshot(), kube.clock.now()
        kube.apply(config_map("later"))
        kube.restore(saved)
        after = kube.clock.now()
        # A scaled clock shows the saved instant again; a real one cannot.
        assert after - saved.now < timedelta(seconds=30) if clock == "x60" else after >= before
        kube.wait_for("pods", "crashes", lambda pod: pod["status"]["containerStatuses"][0]["restartCount"] > 0)
        with pytest.raises(memkube.Refused):
            kube.object("configmaps", "later")


def test_who_follows_a_log_is_told_that_there_will_be_no_more(kube: memkube.Memkube) -> None:
    kube.apply(_BUSY)
    kube.clock.advance(1)
    saved = kube.snapshot()
    path = f"{kube.url}/api/v1/namespaces/default/pods/crashes/log?follow=true"
    with httpx.stream("GET", path, trust_env=False) as followed:
        lines = followed.iter_lines()
        assert next(lines) == "begins"
        kube.restore(saved)
        assert list(lines) == []
