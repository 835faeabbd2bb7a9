import pytest

from memkube.controllers.framework.informer import Informer
from memkube.controllers.job.pods import FINALIZER, INDEX, JobPod, JobPods
from memkube.registry.objects.stored import StoredObject

pytestmark = pytest.mark.anyio


def stored(revision: int, kind: str = "Job", **metadata: object) -> StoredObject:
    """Return a revision of a pod with a controller of this kind."""
    owner = {"apiVersion": "batch/v1", "kind": kind, "name": "work", "uid": "job", "controller": True}
    identity = {"name": "a", "namespace": "default", "uid": "1", "resourceVersion": str(revision)}
    document = {"metadata": {**identity, "ownerReferences": [owner], **metadata}, "status": {"phase": "Running"}}
    return StoredObject({"kind": "Pod", "apiVersion": "v1", **document})


def test_a_revision_of_a_pod_is_read_once() -> None:
    informer = Informer()
    pods = JobPods(informer)
    first, second = stored(1), stored(2, finalizers=[FINALIZER])
    informer.put(first)
    assert pods.of(first) is pods.of(first)
    informer.put(second)
    assert pods.of(second) is pods.of(second)
    assert pods.of(second).is_tracked
    assert pods.of(first) is not pods.of(first)


def test_pods_of_other_owners_are_not_kept() -> None:
    informer = Informer()
    pods, other = JobPods(informer), stored(1, "ReplicaSet")
    informer.put(other)
    assert pods.of(other) is not pods.of(other)


@pytest.mark.parametrize(
    ("text", "index"), [("0", 0), ("+7", 7), ("2147483647", 2**31 - 1), ("2147483648", None), ("-1", None), ("x", None)]
)
def test_an_index_is_a_number_of_32_bits(text: str, index: int | None) -> None:
    assert JobPod.of(stored(1, annotations={INDEX: text})).index == index
