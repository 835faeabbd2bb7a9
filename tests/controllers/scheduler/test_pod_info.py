import gc
from typing import Any

import pytest

from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.registry.objects.stored import StoredObject


def pod(*, cpu: str = "1", version: str = "1", used: str = "", **metadata: Any) -> StoredObject:
    container = {"name": "main", "image": "image:1", "resources": {"requests": {"cpu": cpu}}}
    named = {"name": "web", "namespace": "default", "uid": "1", "resourceVersion": version, **metadata}
    spec = {"containers": [container], "nodeName": "node-1"}
    status = {"containerStatuses": [{"name": "main", "resources": {"requests": {"cpu": used}}}]} if used else {}
    return StoredObject({"kind": "Pod", "apiVersion": "v1", "metadata": named, "spec": spec, "status": status})


def test_nothing_of_a_pods_spec_is_kept_beside_the_pod() -> None:
    stored = pod()
    kept = gc.get_referents(PodInfo(stored))
    assert not any(one is stored.document["spec"] for one in kept)


@pytest.mark.parametrize(
    ("newer", "counts_like_it"),
    [
        (pod(version="2"), True),
        (pod(annotations={"a": "b"}), True),
        (pod(used="1"), True),
        (pod(used="2"), False),
        (pod(cpu="2", generation=2), False),
        (pod(labels={"app": "web"}), False),
        (pod(deletionTimestamp="2026-01-01T00:00:00Z"), False),
    ],
)
def test_a_newer_revision_counts_the_same_or_not(newer: StoredObject, counts_like_it: bool) -> None:
    assert PodInfo(pod()).counts_like(newer) is counts_like_it
