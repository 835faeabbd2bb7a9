"""What is written down of a StatefulSet's template (``getPatch`` and ``newRevision`` of ``stateful_set_utils.go``)."""

import json
from typing import Final

from memkube.apimachinery.meta.v1.api_object import OwnerReference
from memkube.apimachinery.model import Document
from memkube.apis.apps.v1.controllerrevisions.types import ControllerRevision
from memkube.controllers.workloads.digest import fnv1_digest
from memkube.controllers.workloads.owners import reference_to
from memkube.registry.resource import Resource
from memkube.registry.stored import StoredObject

HASH_LABEL: Final = "controller.kubernetes.io/hash"
_LONGEST_PREFIX: Final = 223
_ESCAPED: Final = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def data_of(stateful_set: StoredObject) -> Document:
    """The patch that brings a set back to its present template."""
    return {"spec": {"template": {"$patch": "replace", **stateful_set.document["spec"]["template"]}}}


def template_of(revision: StoredObject, stateful_set: StoredObject) -> Document:
    """The template that a revision brings back; the present one where the revision says nothing of it."""
    spec = revision.document["data"].get("spec") or {}
    template = spec.get("template")
    if template is None:
        template = stateful_set.document["spec"]["template"]
    return {name: value for name, value in template.items() if name != "$patch"}


def number_of(revision: StoredObject) -> int:
    """A revision's place in the history."""
    number: int = revision.document["revision"]
    return number


def age_order(revision: StoredObject) -> tuple[int, str, str]:
    """Sorts the oldest first."""
    return number_of(revision), revision.document["metadata"]["creationTimestamp"], revision.name


def revision_name(stateful_set: StoredObject, data: Document, collisions: int) -> str:
    """The name of a revision: the set's with a digest. Each collision that was noticed makes it another."""
    return f"{stateful_set.name[:_LONGEST_PREFIX]}-{_digest(data, collisions)}"


def new_revision(stateful_set: StoredObject, resource: Resource, number: int, collisions: int) -> ControllerRevision:
    """The revision of a set's present template."""
    revision, document, data = ControllerRevision(), stateful_set.document, data_of(stateful_set)
    revision.metadata.name = revision_name(stateful_set, data, collisions)
    labels = document["spec"]["template"].get("metadata", {}).get("labels") or {}
    revision.metadata.labels = {**labels, HASH_LABEL: _digest(data, collisions)}
    revision.metadata.annotations = dict(document["metadata"].get("annotations") or {})
    revision.metadata.ownerReferences = [OwnerReference.from_document(reference_to(stateful_set, resource))]
    revision.data, revision.revision = data, number
    return revision


def _digest(data: Document, collisions: int) -> str:
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False).translate(_ESCAPED)
    return fnv1_digest(f"{text}{collisions}".encode())
