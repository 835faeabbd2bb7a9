"""Simulated pods keep running after a cluster is saved, restored or forked."""

import random
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from time import monotonic

import httpx
import orjson
import pytest

import memkube
from tests.cluster.saved import config_map, texts

pytestmark = pytest.mark.slow
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
    r'(?:fails|kube-api-access)-[a-z0-9]{5}\b|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|memkube://[0-9a-f]+|"resourceVersion":"[0-9]+"'
)


@pytest.fixture
def kube() -> Iterator[memkube.Memkube]:
    with memkube.Memkube(nodes=2, clock="stepped") as started:
        yield started


def logs(kube: memkube.Memkube) -> dict[str, str]:
    """Return the log of every container, by pod and container."""
    found = {}
    for pod in kube.objects("pods"):
        for container in pod["spec"]["containers"]:
            name = pod["metadata"]["name"]
            path = f"/api/v1/namespaces/default/pods/{name}/log?timestamps=true&container={container['name']}"
            found[f"{name}/{container['name']}"] = httpx.get(kube.url + path, trust_env=False).text
    return found


def alike(kube: memkube.Memkube) -> list[str]:
    """Return all objects in a form that is equal for equal clusters.

    Random names, revisions and the order of simultaneous events are removed.
    """
    found = []
    for data in texts(kube.snapshot()).values():
        document = orjson.loads(data)
        if document["kind"] == "Event":
            del document["metadata"]["name"], document["metadata"]["uid"]
        found.append(_by_chance.sub("*", orjson.dumps(document).decode()))
    return sorted(found)


def alike_logs(kube: memkube.Memkube) -> list[str]:
    """Return the log of every container, with random names replaced."""
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


@pytest.mark.parametrize("seconds", [1, pytest.param(100, marks=pytest.mark.slow)])
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


@pytest.mark.parametrize("clock", ["real", "x60"])
def test_a_clock_that_runs_goes_on(clock: str) -> None:
    with memkube.Memkube(clock=clock) as kube:
        kube.apply(_BUSY)
        kube.wait_for("pods", "probed", lambda pod: pod["status"]["phase"] == "Running")
        saved, before = kube.snapshot(), kube.clock.now()
        kube.apply(config_map("later"))
        began = monotonic()
        kube.restore(saved)
        after = kube.clock.now()
        # A scaled clock is set to the saved time. The real clock is not.
        passed = timedelta(seconds=60 * (monotonic() - began))
        assert after - saved.now <= passed if clock == "x60" else after >= before
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


def test_pressure_is_saved_with_a_snapshot() -> None:
    with memkube.Memkube(clock="stepped") as kube:
        kube.nodes.set_available("node-1", {"memory": "50Mi"})
        kube.nodes.set_available("node-1", {})
        kube.clock.advance(200)
        with kube.fork() as forked:
            forked.clock.advance(90)
            forked.wait_for("nodes", "node-1", "condition=MemoryPressure=True")
            forked.clock.advance(30)
            forked.wait_for("nodes", "node-1", "condition=MemoryPressure=False")
