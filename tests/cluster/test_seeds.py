"""With a seed and a stepped clock, two runs have the same uids, names, addresses and order of writes."""

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import memkube

START = datetime(2026, 1, 5, 8, tzinfo=UTC)
PROGRAM = """
import json, sys
from datetime import UTC, datetime
import memkube

TEMPLATE = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "app", "image": "nginx"}]}}
SPEC = {"replicas": 5, "selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}
PORTS = {"type": "NodePort", "selector": {"app": "web"}, "ports": [{"port": 80}]}
JOB = {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "app", "image": "busybox"}]}}}
with memkube.Memkube(nodes=4, zones=2, clock="stepped", start=datetime(2026, 1, 5, tzinfo=UTC), seed=7) as kube:
    kube.create({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": SPEC})
    kube.create({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": PORTS})
    cron = {"schedule": "* * * * *", "jobTemplate": {"spec": JOB}}
    kube.create({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "often"}, "spec": cron})
    kube.nodes.fail("node-2")
    kube.clock.advance(420)
    for kind in ("nodes", "leases", "pods", "events", "services", "jobs", "configmaps", "ipaddresses"):
        json.dump(kube.objects(kind), sys.stdout)
"""


def test_two_runs_with_one_seed_have_the_same_objects_byte_for_byte() -> None:
    first, second = (_objects(hash_seed) for hash_seed in ("1", "2"))
    assert first.count("NodeNotReady") > 1
    assert first == second


def _objects(hash_seed: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, text=True, capture_output=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_another_seed_gives_other_uids() -> None:
    assert _uid(seed=1) == _uid(seed=1)
    assert _uid(seed=1) != _uid(seed=2)


def test_without_a_seed_uids_differ_each_time() -> None:
    assert _uid() != _uid()


def _uid(**options: Any) -> str:
    with memkube.Memkube(controllers="none", **options) as kube:
        return str(kube.object("namespaces", "default")["metadata"]["uid"])


@pytest.mark.parametrize("clock", ["stepped", "x60"])
def test_a_clock_starts_at_the_given_time(clock: str) -> None:
    with memkube.Memkube(controllers="none", clock=clock, start=START) as kube:
        assert kube.clock.now().date() == START.date()


def test_the_real_clock_has_no_start_time() -> None:
    with pytest.raises(memkube.UsageError, match="the real clock has no start time"):
        memkube.Memkube(start=START)


def test_a_snapshot_has_a_time_of_its_own() -> None:
    with memkube.Memkube(controllers="none", clock="stepped") as kube:
        taken = kube.snapshot()
    with pytest.raises(memkube.UsageError, match="the clock starts at the time of the snapshot"):
        memkube.Memkube(snapshot=taken, start=START)


def _named(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}


def _uids(kube: memkube.Memkube, *names: str) -> set[str]:
    for name in names:
        kube.create(_named(name))
    return {stored.document["metadata"]["uid"] for stored in kube.snapshot().objects.objects.values()}


def test_a_restored_cluster_does_not_repeat_the_uids_of_its_objects() -> None:
    with memkube.Memkube(controllers="none", seed=1) as kube, kube.fork() as fork:
        before = _uids(kube)
        assert len(_uids(fork, "a", "b", "c")) == len(before) + 3
    with memkube.Memkube(controllers="none", seed=1) as kube:
        taken = kube.snapshot()
        count = len(_uids(kube, "a", "b"))
    with memkube.Memkube(controllers="none", seed=1) as other:
        other.restore(taken)
        assert len(_uids(other, "c", "d")) == count


def test_a_restarted_server_does_not_repeat_the_uids_of_its_objects(tmp_path: Path) -> None:
    for names in (("a", "b"), ("c", "d")):
        with memkube.Memkube(controllers="none", seed=1, storage=f"sqlite:{tmp_path / 'objects.db'}") as kube:
            found, count = _uids(kube, *names), len(kube.snapshot().objects.objects)
    assert len(found) == count
