"""Which pod of a StatefulSet is which (``stateful_set_utils.go``)."""

import re
from typing import Final

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.pods.types import Pod
from memkube.controllers.workloads.pod_control import pod_of
from memkube.registry.resource import Resource
from memkube.registry.stored import StoredObject

POD_NAME: Final = "statefulset.kubernetes.io/pod-name"
POD_INDEX: Final = "apps.kubernetes.io/pod-index"
REVISION: Final = "controller-revision-hash"
_INT32: Final = 2**31
_numbered = re.compile(r"(.*)-([0-9]+)", re.DOTALL).fullmatch


def ordinal_of(pod: StoredObject) -> int:
    """The number at the end of a pod's name; -1 where there is none."""
    found = _numbered(pod.name)
    number = int(found[2]) if found else -1
    return number if number < _INT32 else -1


def is_member(pod: StoredObject, stateful_set: StoredObject) -> bool:
    """Whether a pod has a name that the set would give."""
    found = _numbered(pod.name)
    return found is not None and found[1] == stateful_set.name


def has_identity(pod: StoredObject, stateful_set: StoredObject) -> bool:
    """Whether a pod is labelled as what it is. One with zeros before its number never is."""
    return pod.name == f"{stateful_set.name}-{ordinal_of(pod)}" and pod.labels.get(POD_NAME) == pod.name


def identify(pod: Pod, ordinal: int) -> None:
    """Labels a pod as what it is."""
    pod.metadata.labels |= {POD_NAME: pod.metadata.name, POD_INDEX: str(ordinal)}


def revision_of(pod: StoredObject) -> str:
    """The name of the revision that a pod is made from."""
    return pod.labels.get(REVISION, "")


def new_pod(stateful_set: StoredObject, resource: Resource, template: Document, ordinal: int, revision: str) -> Pod:
    """The pod of a template with this number."""
    pod = pod_of(template, stateful_set, resource)
    pod.metadata.name = f"{stateful_set.name}-{ordinal}"
    identify(pod, ordinal)
    pod.metadata.labels[REVISION] = revision
    pod.spec.hostname = pod.metadata.name
    pod.spec.subdomain = stateful_set.document["spec"].get("serviceName", "")
    return pod
