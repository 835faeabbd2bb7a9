"""Reads and writes of objects for a program in the same process, through the stores and in the server's own thread.

Writes pass admission, as the user ``system:anonymous``, or as ``system:apiserver`` if the server authorizes requests.
The request log does not record these operations, and faults do not affect them.
"""

import asyncio
from collections.abc import Sequence
from typing import Final

import orjson

from memkube.apimachinery import labels
from memkube.apimachinery.errors import ApiError, bad_request
from memkube.apimachinery.json_text import to_json
from memkube.cluster.manifests import Manifest
from memkube.cluster.waiting import Document, summary
from memkube.control.object_conditions import conditions_of
from memkube.endpoints.responses.responses import status_of
from memkube.errors import NotRunning, Refused, WaitTimeout
from memkube.registry.declarations.authorization import AlwaysAllow
from memkube.registry.declarations.kinds import KindName
from memkube.registry.declarations.request_options import (
    LOOPBACK,
    NOBODY,
    ListOptions,
    Selection,
    WatchOptions,
    WriteContext,
)
from memkube.registry.declarations.resource import Resource
from memkube.registry.named_stores import named_store
from memkube.registry.objects.stored import StoredObject
from memkube.registry.reads.watch_events import WatchEnded
from memkube.registry.reads.watching import ObjectWatch
from memkube.registry.registry import Registry
from memkube.registry.store import Store
from memkube.registry.writes.patching import APPLY_PATCH, Patch
from memkube.time.clock import SteppedClock

_DEFINITION: Final = ("apiextensions.k8s.io", "CustomResourceDefinition")
_DEFINITIONS: Final = ("apiextensions.k8s.io", "v1", "customresourcedefinitions")
_DEFINED_SECONDS: Final = 10.0
_GONE: Final = 410


class Operations:
    """Reads and writes objects. Its coroutines run in the server's thread."""

    def __init__(self, registry: Registry, manager: str) -> None:
        self._registry = registry
        self._manager = manager
        self._served = asyncio.Event()
        registry.catalog.on_change(self._catalog_changed)

    async def apply(self, manifests: Sequence[Manifest], namespace: str, *, force: bool) -> list[Document]:
        """Apply manifests in their order, and wait until custom resource definitions are served.

        Return the stored objects. `namespace` is for objects without a namespace; `force` takes over fields of other
        field managers. Raises Refused at the first manifest that is refused, and WaitTimeout if a definition is not
        served in time.
        """
        applied = []
        for manifest in manifests:
            try:
                applied.append(await self._apply(manifest, namespace, force=force))
            except ApiError as error:
                raise Refused(status_of(error), manifest.source) from None
        await self.settle()
        return applied

    async def objects(self, resource: str, namespace: str | None, selector: str) -> list[Document]:
        """Return the selected objects, sorted by namespace and name. Raises ApiError for an unknown resource."""
        store = self.store(resource)
        try:
            selection = Selection(labels.parse(selector) if selector else None)
        except ValueError as error:
            raise bad_request(str(error)) from None
        listed = await store.list(_within(store, namespace or ""), ListOptions(selection))
        return [_copy(stored) for stored in listed.items]

    async def object(self, resource: str, name: str, namespace: str) -> Document:
        """Return one object. Raises ApiError if it does not exist."""
        store = self.store(resource)
        return _copy(await store.get(_within(store, namespace), name))

    async def watch(self, resource: str, name: str, namespace: str) -> "States":
        """Return the present and later states of one object. Raises ApiError if the resource cannot be watched."""
        store = self.store(resource)
        if store.resource.is_computed:
            raise bad_request(f"{store.resource.group_resource} cannot be watched: they are computed for each request")
        return States(store, _within(store, namespace), name)

    async def settle(self) -> None:
        """If the clock moves only when it is advanced, wait until the controllers have reacted to all writes."""
        if isinstance(self._registry.clock, SteppedClock):
            await self._registry.clock.activity.at_rest()

    async def resource(self, name: str) -> Resource:
        """Return a resource by a name that kubectl accepts. Raises ApiError 404 for an unknown name."""
        return self.store(name).resource

    async def kind(self, manifest: Manifest) -> Resource:
        """Return the resource of a manifest. Raises ApiError 404 if its kind is not served."""
        return self._of_kind(manifest)

    def store(self, name: str) -> Store:
        """Return the store of a resource by a name that kubectl accepts. Raises ApiError 404 for an unknown name."""
        return named_store(self._registry, name)

    def _of_kind(self, manifest: Manifest) -> Resource:
        kind = KindName.of(manifest.api_version, manifest.kind)
        resource = self._registry.catalog.of_kind(kind)
        if resource is None or (kind.group, kind.version) in self._registry.catalog.delegated:
            raise ApiError(404, "NotFound", f"no kind {kind.kind!r} is served in version {manifest.api_version!r}")
        return resource

    async def _apply(self, manifest: Manifest, namespace: str, *, force: bool) -> Document:
        resource = self._of_kind(manifest)
        if "patch" not in resource.verbs:
            raise ApiError(405, "MethodNotAllowed", f"{resource.group_resource} cannot be applied")
        name = manifest.metadata.get("name")
        if not isinstance(name, str) or not name:
            raise bad_request("name is required")
        store = self._registry.store(resource)
        inside = _within(store, str(manifest.metadata.get("namespace") or namespace))
        allows_all = isinstance(self._registry.kind_services.authorizer, AlwaysAllow)
        context = WriteContext(inside, self._manager, user=NOBODY if allows_all else LOOPBACK)
        patch = Patch(APPLY_PATCH, to_json(manifest.document), "Strict")
        stored, _ = await store.apply(name, patch, context, force=force)
        if (resource.group, resource.kind) == _DEFINITION:
            return await self.defined(name)
        return _copy(stored)

    async def defined(self, name: str) -> Document:
        """Return a custom resource definition once its kind is served. Raises WaitTimeout if that takes too long."""
        states = States(self._registry.find(*_DEFINITIONS), "", name)
        last: Document = {}
        try:
            async with asyncio.timeout(_DEFINED_SECONDS):
                while not _is(last, "Established", "True"):
                    if _is(last, "NamesAccepted", "False"):
                        raise TimeoutError
                    last = (await states.next() or [last])[-1] or {}
                while not self._serves(last):
                    await self._served.wait()
        except TimeoutError:
            raise WaitTimeout(f"customresourcedefinitions {name} are not established: {summary(last)}") from None
        return last

    def _serves(self, definition: Document) -> bool:
        spec = definition["spec"]
        plural, versions = spec["names"]["plural"], [v["name"] for v in spec["versions"] if v["served"]]
        return all(self._registry.catalog.find(spec["group"], version, plural) for version in versions)

    def _catalog_changed(self) -> None:
        self._served.set()
        self._served = asyncio.Event()


class States:
    """The states of one object, oldest first. A state is a document, or None while the object does not exist."""

    def __init__(self, store: Store, namespace: str, name: str) -> None:
        self._store = store
        self._namespace = namespace
        self._name = name
        self._watch: ObjectWatch | None = None

    async def next(self, timeout: float | None = None) -> list[Document | None]:
        """Return the object's current state in the first call, and its states since the previous call in later calls.

        Waits up to `timeout` seconds, and returns an empty list if there was no new state. Raises NotRunning when the
        server stops or the resource is no longer served.
        """
        if self._watch is None:
            return await self._begin()
        try:
            events = await self._watch.next(timeout)
        except ApiError as error:
            if error.code != _GONE:
                raise
            return await self._begin()
        except WatchEnded:
            what = self._store.resource.group_resource
            raise NotRunning(f"the server has stopped, or {what} are no longer served") from None
        about = [event for event in events if event.object.name == self._name]
        return [None if event.type == "DELETED" else _copy(event.object) for event in about]

    async def _begin(self) -> list[Document | None]:
        listed = await self._store.list(self._namespace, ListOptions())
        found = next((o for o in listed.items if o.name == self._name), None)
        options = WatchOptions(resource_version=str(listed.revision), send_initial_events=False)
        self._watch = self._store.watch(self._namespace, options)
        await self._watch.start()
        return [None if found is None else _copy(found)]


def _is(definition: Document, condition: str, status: str) -> bool:
    return any((c.get("type"), c.get("status")) == (condition, status) for c in conditions_of(definition))


def _within(store: Store, namespace: str) -> str:
    return namespace if store.resource.namespaced else ""


def _copy(stored: StoredObject) -> Document:
    """Return a copy of an object's document, which the caller may change."""
    document: Document = orjson.loads(stored.data)
    return document
