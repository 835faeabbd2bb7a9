"""ControllerRevisions, which record the pod templates of StatefulSets and DaemonSets (``pkg/controller/history``)."""

from typing import Any, Final

import orjson

from memkube.apimachinery.meta.v1.api_object import ApiObject, OwnerReference
from memkube.apimachinery.model import Document
from memkube.apis.apps.v1.controllerrevisions.types import ControllerRevision
from memkube.controllers.framework.client import Client
from memkube.controllers.workloads.owners import reference_to
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject

CONTROLLER_REVISIONS: Final = ("apps", "v1", "controllerrevisions")
REVISION_HASH: Final = "controller-revision-hash"
"""Name of the pod label with the hash of the pod's ControllerRevision."""


def data_of(owner: StoredObject) -> Document:
    """Return the data of a ControllerRevision for a StatefulSet or DaemonSet: a patch with its present pod template."""
    return {"spec": {"template": {"$patch": "replace", **owner.document["spec"]["template"]}}}


def template_of(revision: StoredObject, owner: StoredObject) -> Document:
    """Return the pod template in a ControllerRevision.

    If it contains none, return the present pod template of the StatefulSet or DaemonSet.
    """
    template = (revision.document["data"].get("spec") or {}).get("template")
    if template is None:
        template = owner.document["spec"]["template"]
    return {name: value for name, value in template.items() if name != "$patch"}


def number_of(revision: StoredObject) -> int:
    """Return the field ``revision`` of a ControllerRevision, which numbers the revisions of its owner."""
    number: int = revision.document["revision"]
    return number


def age_order(revision: StoredObject) -> tuple[int, str, str]:
    """Sort key of ControllerRevisions: the oldest comes first."""
    return number_of(revision), revision.document["metadata"]["creationTimestamp"], revision.name


def new_revision(
    owner: StoredObject, owners: Resource, name: str, hash_label: dict[str, str], number: int
) -> ControllerRevision:
    """Return a ControllerRevision of the present pod template of a StatefulSet or DaemonSet.

    `owners` is the resource of the owner, `hash_label` a label to add to the labels of the template, and `number` the
    field ``revision``.
    """
    revision, document = ControllerRevision(), owner.document
    labels: dict[str, Any] = document["spec"]["template"].get("metadata", {}).get("labels") or {}
    revision.metadata.name = name
    revision.metadata.labels = {**labels, **hash_label}
    revision.metadata.annotations = dict(document["metadata"].get("annotations") or {})
    revision.metadata.ownerReferences = [OwnerReference.from_document(reference_to(owner, owners))]
    # `kubectl rollout undo` compares the bytes of the data with the patch that it makes itself, with sorted keys.
    data = orjson.loads(orjson.dumps(data_of(owner), option=orjson.OPT_SORT_KEYS))
    revision.data, revision.revision = data, number
    return revision


async def renumber(client: Client, resource: Resource, revision: StoredObject, number: int) -> StoredObject:
    """Change the number of a ControllerRevision. Raises ApiError if the update fails."""

    def change(obj: ApiObject) -> None:
        assert isinstance(obj, ControllerRevision)
        obj.revision = number

    return await client.update(resource, revision, change)
