"""How objects of the server itself are written."""

from typing import Final, NamedTuple, TypeAlias

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from memkube.registry.clock import written_now
from memkube.registry.registry import Registry
from memkube.registry.requests import WriteContext
from memkube.registry.stored import StoredObject

ResourceName: TypeAlias = tuple[str, str, str]
"""A group, a version and a plural."""
MANAGER: Final = "kube-apiserver"
"""Whose fields they are."""
_METADATA: Final = (
    "name",
    "namespace",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "labels",
    "annotations",
    "managedFields",
)
"""In the order in which they are written."""


class Owned(NamedTuple):
    """What a manager owns of an object (FieldsV1)."""

    fields: Document
    manager: str = MANAGER
    operation: str = "Update"
    subresource: str = ""


async def create(registry: Registry, resource: ResourceName, document: Document, namespace: str = "") -> StoredObject:
    """Stores a new object in the server's own name, as a client would.

    The document fits its kind, and need not say which that is. Raises KeyError for a resource that is not served, and
    ApiError.
    """
    store = registry.find(*resource)
    obj = store.resource.model.from_document(document)
    return await store.create(obj, WriteContext(namespace=namespace, manager=MANAGER))


async def place(registry: Registry, resource: ResourceName, document: Document, *owned: Owned) -> bool:
    """Stores an object that is written down as :func:`create` would have made it; the system's metadata are added.

    False where there is one of that name, which stays as it is. It costs no import of the kind: start-up is spared its
    models and rules. Raises KeyError for a resource that is not served.
    """
    store = registry.find(*resource)
    kind = {"kind": store.resource.kind, "apiVersion": store.resource.api_version}
    now = written_now(registry.clock)
    given: Document = document["metadata"]
    system = {"uid": registry.new_uid(), "resourceVersion": "", "creationTimestamp": now}
    complete = {**given, **system}
    if owned:
        complete["managedFields"] = [_entry(owner, store.resource.api_version, now) for owner in owned]
    metadata = {name: complete[name] for name in _METADATA if name in complete}
    whole = {**kind, "metadata": metadata, **{n: v for n, v in document.items() if n != "metadata"}}
    try:
        await store.place(whole)
    except ApiError as error:
        if error.reason != "AlreadyExists":
            raise
        return False
    return True


def _entry(owned: Owned, api_version: str, now: str) -> Document:
    entry = {
        "manager": owned.manager,
        "operation": owned.operation,
        "apiVersion": api_version,
        "time": now,
        "fieldsType": "FieldsV1",
        "fieldsV1": owned.fields,
    }
    return {**entry, "subresource": owned.subresource} if owned.subresource else entry
