import asyncio
import io
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memkube.errors import ManifestError
from memkube.manifests.comparison import Difference, brief, differences, reduce_to_common
from memkube.manifests.sides import (
    is_snapshot,
    read_sources,
    side_as_stored,
    side_as_written,
    side_of_snapshot,
    without_made,
)
from memkube.snapshots.files import write_snapshot
from memkube.snapshots.snapshot import object_key, snapshot_of

_DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx}]}
"""
_SPELLED_OUT = """\
kind: Deployment
apiVersion: apps/v1
metadata: {namespace: default, name: web}
spec:
  replicas: 1
  revisionHistoryLimit: 10
  progressDeadlineSeconds: 600
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 25%, maxUnavailable: 25%}}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {restartPolicy: Always, containers: [{name: web, image: nginx, imagePullPolicy: Always}]}
status: {replicas: 7}
"""
_SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {same: x, other: %s}\n"
_SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {type: NodePort, ports: [{port: 80}]}\n"
_JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: once}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}
"""
_OF_NO_KIND = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {size: %s}\n"


def _found(old: str, new: str, *, raw: bool = False, secrets: bool = False) -> list[Difference]:
    sides = []
    for text in (old, new):
        read = read_sources("-", io.StringIO(text))
        sides.append(side_as_written(read) if raw else asyncio.run(side_as_stored(read, "default")))
    if not raw:
        reduce_to_common(*sides)
    return list(differences(*sides, secrets=secrets))


def test_defaults_are_no_difference() -> None:
    assert not _found(_DEPLOYMENT, _SPELLED_OUT)


def test_the_files_as_they_are_do_differ() -> None:
    assert [difference.sign for difference in _found(_DEPLOYMENT, _SPELLED_OUT, raw=True)] == ["-", "+"]


def test_an_object_that_has_changed_is_shown_with_its_fields() -> None:
    (found,) = _found(_DEPLOYMENT, _DEPLOYMENT.replace("nginx", "httpd"))
    assert found.lines[:3] == ["diff Deployment.apps default/web", "--- stdin:2", "+++ stdin:2"]
    changed = [line for line in found.lines[3:] if line[0] in "+-"]
    assert changed == ["-      - image: nginx", "+      - image: httpd"]


def test_objects_are_found_wherever_they_stand() -> None:
    assert not _found(f"{_DEPLOYMENT}---\n{_SERVICE}", f"{_SERVICE}---\n{_DEPLOYMENT}")


def test_objects_that_are_on_one_side_only_are_told() -> None:
    found = _found(_DEPLOYMENT, _SERVICE)
    assert list(brief(found)) == ["+ Service default/web", "- Deployment.apps default/web"]
    assert "+++ /dev/null" in found[1].lines


@pytest.mark.parametrize("text", [_SERVICE, _JOB, _JOB.replace("name: once", "generateName: once-")])
def test_what_the_server_chooses_is_no_difference(text: str) -> None:
    assert not _found(text, text)


def test_a_port_that_somebody_chooses_is_a_difference() -> None:
    chosen = _SERVICE.replace("port: 80", "port: 80, nodePort: 30080")
    assert not _found(_SERVICE, chosen)
    assert [d.sign for d in _found(chosen, chosen.replace("30080", "30081"))] == ["~"]


def test_values_of_secrets_are_masked_unless_wanted() -> None:
    (masked,) = _found(_SECRET % "a", _SECRET % "b")
    assert [line for line in masked.lines[3:] if line[0] in "+-"] == [
        "-  other: '*** (before)'",
        "+  other: '*** (after)'",
    ]
    (shown,) = _found(_SECRET % "a", _SECRET % "b", secrets=True)
    assert "+  other: Yg==" in shown.lines


def test_what_nobody_has_defined_is_compared_as_it_is_written() -> None:
    read = read_sources("-", io.StringIO(_OF_NO_KIND % 1))
    assert asyncio.run(side_as_stored(read, "default")).unknown == {"Widget of example.com/v1"}
    assert [d.sign for d in _found(_OF_NO_KIND % 1, _OF_NO_KIND % 2)] == ["~"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (_SERVICE.replace("port: 80", "port: 0"), r"stdin:4:\d+: spec.ports\[0\].port: Invalid value: 0"),
        (f"{_SERVICE}---\n{_SERVICE}", "stdin:7: Service default/web is defined twice: first in stdin:2"),
        ("a: 1\n", "stdin:1:1: apiVersion is missing"),
    ],
)
def test_what_a_server_refuses_cannot_be_compared(text: str, complaint: str) -> None:
    with pytest.raises(ManifestError, match=complaint):
        asyncio.run(side_as_stored(read_sources("-", io.StringIO(text)), "default"))


def _snapshot(path: Path, *documents: dict[str, Any]) -> Path:
    plurals = {"Deployment": ("apps", "deployments"), "Pod": ("core", "pods"), "ConfigMap": ("core", "configmaps")}
    objects = []
    for number, document in enumerate(documents, start=1):
        metadata = {"namespace": "default", "uid": f"u{number}", "resourceVersion": str(number), **document["metadata"]}
        key = object_key(*plurals[document["kind"]], metadata["namespace"], metadata["name"])
        objects.append((key, {**document, "metadata": metadata}))
    write_snapshot(snapshot_of(objects, datetime.now(UTC)), path)
    return path


def test_a_snapshot_is_compared_with_manifests_by_what_somebody_may_have_written(tmp_path: Path) -> None:
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web-1", "ownerReferences": [{"controller": True}]}}
    root = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kube-root-ca.crt"}}
    counted = {"deployment.kubernetes.io/revision": "1"}
    mine = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "mine", "annotations": counted}}
    path = _snapshot(tmp_path / "s.jsonl", pod, root, mine)
    assert is_snapshot(str(path))
    side = side_of_snapshot(str(path))
    asyncio.run(without_made(side))
    (identity,) = side.objects
    assert str(identity) == "Deployment.apps default/mine"
    assert "annotations" not in side.objects[identity]["metadata"]


def test_snapshots_are_compared_with_their_status(tmp_path: Path) -> None:
    pod: dict[str, Any] = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "status": {"phase": "Pending"}}
    old = side_of_snapshot(str(_snapshot(tmp_path / "old", pod)))
    new = side_of_snapshot(str(_snapshot(tmp_path / "new", pod, {**pod, "metadata": {"name": "b"}})))
    running = side_of_snapshot(str(_snapshot(tmp_path / "run", {**pod, "status": {"phase": "Running"}})))
    for side in (new, running):
        reduce_to_common(old, side)
    assert list(brief(differences(old, new, secrets=False))) == ["+ Pod default/b"]
    assert list(brief(differences(old, running, secrets=False))) == ["~ Pod default/a"]
