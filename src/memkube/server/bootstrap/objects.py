"""How objects of the server itself are written.

Most are the same in all servers of a process: what they are stored as is made once.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias

from memkube.apimachinery.json_text import to_json
from memkube.apimachinery.model import Document
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject
from memkube.registry.registry import Registry
from memkube.time.clock import written_now

ResourceName: TypeAlias = tuple[str, str, str]
"""A group, a version and a plural."""
MANAGER: Final = "kube-apiserver"
"""Whose fields they are."""
NOW: Final = "@now@"
"""In what is written down, the instant at which it will be placed."""
UID: Final = "@uid@"
"""The uid that it will be placed with."""
_METADATA: Final = (
    "name",
    "namespace",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "labels",
    "annotations",
    "ownerReferences",
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


class Prepared(NamedTuple):
    """An object as it is stored, but for what differs from server to server."""

    resource: ResourceName
    namespace: str
    name: str
    tail: bytes
    """See :attr:`StoredObject.item_tail`; marks stand for its uid and for the instant."""


def prepared(resource: ResourceName, document: Document, *owned: Owned) -> Prepared:
    """An object that is written down as :func:`create` would have made it; the system's metadata are added.

    ``NOW`` in it stands for the instant at which it is placed.
    """
    group, version, _ = resource
    given: Document = document["metadata"]
    complete = {**given, "uid": UID, "resourceVersion": "0", "creationTimestamp": NOW}
    if owned:
        complete["managedFields"] = [_entry(owner, f"{group}/{version}" if group else version) for owner in owned]
    metadata = {name: complete[name] for name in _METADATA if name in complete}
    tail = to_json({"metadata": metadata, **{name: value for name, value in document.items() if name != "metadata"}})
    return Prepared(resource, given.get("namespace", ""), given["name"], tail[1:])


async def place(registry: Registry, *objects: Prepared) -> int:
    """Stores objects that have been prepared, one after the other.

    Where there is one of that name it stays as it is; returns how many are new. It costs no import of the kinds:
    start-up is spared their models and rules. Raises KeyError for a resource that is not served.
    """
    now = written_now(registry.clock)
    stores = {resource: registry.find(*resource) for resource in {one.resource for one in objects}}
    placed = []
    for one in objects:
        store = stores[one.resource]
        stored = filled(store.resource, one, {UID: registry.new_uid(), NOW: now})
        placed.append((store, one.namespace, one.name, stored))
    return await registry.place(placed)


def filled(resource: Resource, one: Prepared, marks: Mapping[str, str]) -> StoredObject:
    """An object that has been prepared, with plain values in place of its marks."""
    tail = one.tail
    for mark, value in marks.items():
        tail = tail.replace(mark.encode(), value.encode())
    return StoredObject.from_tail(resource.kind, resource.api_version, tail)


def _entry(owned: Owned, api_version: str) -> Document:
    entry = {
        "manager": owned.manager,
        "operation": owned.operation,
        "apiVersion": api_version,
        "time": NOW,
        "fieldsType": "FieldsV1",
        "fieldsV1": owned.fields,
    }
    return {**entry, "subresource": owned.subresource} if owned.subresource else entry
