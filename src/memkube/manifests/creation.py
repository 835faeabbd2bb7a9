"""Manifests created in an empty cluster, in the way that a POST takes."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from memkube.apimachinery.errors import ApiError, internal_error, method_not_supported
from memkube.apimachinery.json_text import to_json
from memkube.cluster.manifests import Manifest
from memkube.cluster.operations import Operations
from memkube.endpoints.requests.bodies import BodyDecoder, JsonData
from memkube.errors import MemkubeError, WaitTimeout
from memkube.registry.declarations.kinds import KindName
from memkube.registry.declarations.request_options import NOBODY, WriteContext
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject
from memkube.registry.registry import Registry, SavedObjects
from memkube.registry.writes.patching import APPLY_PATCH, Patch
from memkube.server.app import create_app
from memkube.server.settings import Settings
from memkube.snapshots.adding import UnknownKind, together

MANAGER: Final = "memkube"
"""Who owns the fields of what is created."""
_FORMER_GROUPS: Final = ("extensions",)
_ACCOUNTS_PLUGIN: Final = "ServiceAccount"
_ACCOUNT: Final = "default"


class NoKind(Exception):
    """No such kind is served.

    `versions` are those that serve a kind of this name; a kind may be somebody's custom one where nothing of its group
    is served.
    """

    def __init__(self, kind: KindName, versions: Sequence[str], *, is_custom: bool) -> None:
        super().__init__(f'no matches for kind "{kind.kind}" in version "{kind.api_version}"')
        self.kind = kind
        self.versions = versions
        self.is_custom = is_custom


@dataclass(slots=True)
class Creation:
    """What has come of one manifest."""

    stored: StoredObject | None = None
    unfit: list[str] = field(default_factory=list)
    """What strict decoding complains about: unknown and repeated fields."""
    warnings: list[str] = field(default_factory=list)
    error: ApiError | NoKind | None = None
    resource: Resource | None = None
    namespace: str = ""


@asynccontextmanager
async def empty_cluster(plugins: Sequence[str]) -> AsyncIterator["EmptyCluster"]:
    """A cluster in which nothing happens but what is asked for: no controllers, no nodes, no socket."""
    app = create_app(Settings(controllers=(), admission_plugins=tuple(plugins)))
    async with app.router.lifespan_context(app):
        try:
            yield EmptyCluster(app.state.parts.registry, accounts=_ACCOUNTS_PLUGIN in plugins)
        finally:
            app.checks.shut_down()
            app.state.parts.registry.end_requests()


class EmptyCluster:
    """Creates objects as POST does, with every field that is unknown or repeated told beside the other errors.

    Who asks is nobody in particular, as over HTTP.
    """

    def __init__(self, registry: Registry, *, accounts: bool) -> None:
        """`accounts` says whether pods need them."""
        self._registry = registry
        self._accounts = accounts
        self._operations = Operations(registry, MANAGER)
        self._prepared: set[str] = set()
        self.made_namespaces: list[str] = []
        """The namespaces that were made because something was to be put into them."""

    def resource(self, api_version: str, kind: str) -> Resource:
        """The resource whose objects are of this kind. Raises NoKind."""
        named = KindName.of(api_version, kind)
        found = self._registry.catalog.of_kind(named)
        if found is None:
            known = self._registry.catalog.has_group(named.group) or named.group in _FORMER_GROUPS
            versions = [r.api_version for r in self._registry.catalog if known and r.kind == kind]
            raise NoKind(named, sorted(versions), is_custom=not known)
        return found

    async def prepare(self, namespace: str, *, make: bool) -> None:
        """Sees that a namespace has what each has in a cluster; makes it first where it is not there and may be."""
        if namespace in self._prepared:
            return
        self._prepared.add(namespace)
        if make:
            body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
            if (await self.create(Manifest(body, ""), "")).error is None:
                self.made_namespaces.append(namespace)
        if self._accounts:
            account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": _ACCOUNT}}
            await self.create(Manifest(account, ""), namespace)

    async def create(self, manifest: Manifest, namespace: str) -> Creation:
        """Creates one object; `namespace` is for one that names none. Nothing is raised."""
        creation = Creation()
        try:
            await self._create(manifest, namespace, creation)
        except (ApiError, NoKind) as error:
            creation.error = error
        except Exception as error:
            # As the server answers a request that it fails to serve.
            creation.error = internal_error(f"{type(error).__name__}: {error}")
            creation.error.__cause__ = error
        return creation

    async def apply(self, manifest: Manifest, creation: Creation) -> Creation:
        """Applies a manifest to an object that every cluster has."""
        assert creation.resource is not None
        store = self._registry.store(creation.resource)
        applied = Creation(unfit=creation.unfit, resource=creation.resource, namespace=creation.namespace)
        context = WriteContext(creation.namespace, MANAGER, user=NOBODY, warnings=applied.warnings)
        patch = Patch(APPLY_PATCH, to_json(manifest.document), "Ignore")
        try:
            applied.stored, _ = await store.apply(str(manifest.metadata["name"]), patch, context, force=True)
        except ApiError as error:
            applied.error = error
        return applied

    async def standing(self) -> list[dict[str, Any]]:
        """The objects that a server begins with."""
        kept = [resource for resource in self._registry.catalog if resource.keeps_objects and not resource.is_computed]
        return [stored.document for resource in kept for stored in await self._registry.store(resource).all()]

    async def with_objects(self, objects: Mapping[str, StoredObject]) -> SavedObjects:
        """Everything there is, with these objects added as they are. Raises MemkubeError for unknown kinds."""
        try:
            return together(await self._registry.save(), objects)[0]
        except UnknownKind as error:
            raise MemkubeError(str(error)) from None

    async def served(self, definition: str) -> str:
        """Waits until the kinds of a definition are served; returns why they are not, else nothing."""
        try:
            await self._operations.defined(definition)
        except WaitTimeout as error:
            return str(error)
        return ""

    async def _create(self, manifest: Manifest, namespace: str, creation: Creation) -> None:
        """Raises ApiError and NoKind."""
        creation.resource = resource = self.resource(manifest.api_version, manifest.kind)
        if "create" not in resource.verbs:
            raise method_not_supported(resource.group_resource, "create")
        if resource.namespaced:
            creation.namespace = named_namespace(manifest) or namespace
        if resource.deprecation:
            creation.warnings.append(resource.deprecation)
        body = _body(manifest)
        data = JsonData(manifest.api_version, manifest.kind, manifest.document, body)
        expected = KindName(resource.group, resource.version, resource.kind)
        decoder = BodyDecoder(expected, resource.form, self._registry.catalog)
        obj, creation.unfit = decoder.fit(data, body or b"", "Warn")
        context = WriteContext(creation.namespace, MANAGER, user=NOBODY, warnings=creation.warnings)
        store = self._registry.store(resource)
        if not resource.keeps_objects:
            await store.answer(obj, context)
        else:
            creation.stored = await store.create(obj, context)


def named_namespace(manifest: Manifest) -> str:
    """The namespace that a manifest names, "" where it names none."""
    named = manifest.metadata.get("namespace")
    return named if isinstance(named, str) else ""


def document_of(stored: StoredObject) -> dict[str, Any]:
    """A copy of what is stored."""
    document: dict[str, Any] = orjson.loads(stored.data)
    return document


def _body(manifest: Manifest) -> bytes | None:
    """The JSON text that is nothing but this object, where it is written so; repeated keys are told already."""
    text = manifest.text
    alone = text is not None and text.is_json and not manifest.path and not manifest.duplicates
    return text.text.encode() if alone and text is not None else None
