"""Creates manifests in an empty cluster, with the decoder and the store that a POST request uses."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from memkube.admission.available import SERVICE_ACCOUNT_PLUGIN
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
"""Field manager of the objects that are created from manifests."""
_FORMER_GROUPS: Final = ("extensions",)
_ACCOUNT: Final = "default"


class NoKind(Exception):
    """Raised if the server does not serve the kind of a manifest in the version that the manifest names.

    `versions` are the served versions with a kind of this name. `is_custom` is True if the server serves nothing of the
    group, so that the kind may be a custom one.
    """

    def __init__(self, kind: KindName, versions: Sequence[str], *, is_custom: bool) -> None:
        super().__init__(f'no matches for kind "{kind.kind}" in version "{kind.api_version}"')
        self.kind = kind
        self.versions = versions
        self.is_custom = is_custom


@dataclass(slots=True)
class Creation:
    """The result of creating one manifest: the stored object or an error, and warnings."""

    stored: StoredObject | None = None
    unfit: list[str] = field(default_factory=list)
    """Strict decoding errors: unknown and duplicate fields."""
    warnings: list[str] = field(default_factory=list)
    error: ApiError | NoKind | None = None
    resource: Resource | None = None
    namespace: str = ""


@asynccontextmanager
async def empty_cluster(plugins: Sequence[str]) -> AsyncIterator["EmptyCluster"]:
    """Run a server with the admission plugins named in `plugins`, for an ``async with`` block.

    It has no controllers, no nodes and no socket.
    """
    app = create_app(Settings(controllers=(), admission_plugins=tuple(plugins)))
    async with app.router.lifespan_context(app):
        try:
            yield EmptyCluster(app.state.parts.registry, accounts=SERVICE_ACCOUNT_PLUGIN in plugins)
        finally:
            app.checks.shut_down()
            app.state.parts.registry.end_requests()


class EmptyCluster:
    """Creates objects as a POST does, but continues after unknown and duplicate fields to find further errors.

    Objects are created as by an anonymous user.
    """

    def __init__(self, registry: Registry, *, accounts: bool) -> None:
        """Prepare to create objects in the stores of `registry`.

        `accounts` is True if admission refuses pods whose service account does not exist. Then :meth:`prepare` creates
        the default service account of each namespace.
        """
        self._registry = registry
        self._accounts = accounts
        self._operations = Operations(registry, MANAGER)
        self._prepared: set[str] = set()
        self.made_namespaces: list[str] = []
        """Namespaces that were created because an object needed them."""

    def resource(self, api_version: str, kind: str) -> Resource:
        """Return the resource that serves a kind. Raises NoKind if the kind is not served."""
        named = KindName.of(api_version, kind)
        found = self._registry.catalog.of_kind(named)
        if found is None:
            known = named.group in self._registry.catalog.groups or named.group in _FORMER_GROUPS
            versions = [r.api_version for r in self._registry.catalog if known and r.kind == kind]
            raise NoKind(named, sorted(versions), is_custom=not known)
        return found

    async def prepare(self, namespace: str, *, make: bool) -> None:
        """Prepare a namespace for objects: create its default service account, if admission requires one for pods.

        With `make`, create the namespace itself too, unless it exists. Does nothing if the namespace was prepared
        before.
        """
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
        """Create the object of a manifest, and return the stored object or the error.

        `namespace` is used if the manifest names none.
        """
        creation = Creation()
        try:
            await self._create(manifest, namespace, creation)
        except (ApiError, NoKind) as error:
            creation.error = error
        except Exception as error:
            # As an HTTP server would, answer an unexpected exception with status 500, so that it becomes a finding.
            creation.error = internal_error(f"{type(error).__name__}: {error}")
            creation.error.__cause__ = error
        return creation

    async def apply(self, manifest: Manifest, creation: Creation) -> Creation:
        """Apply a manifest to an object that every new cluster has, such as the namespace ``default``.

        `creation` is the result of the attempt to create that object.
        """
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
        """Return the objects that exist in a new cluster, such as the namespace ``default``."""
        kept = [resource for resource in self._registry.catalog if resource.keeps_objects and not resource.is_computed]
        return [stored.document for resource in kept for stored in await self._registry.store(resource).all()]

    async def with_objects(self, objects: Mapping[str, StoredObject]) -> SavedObjects:
        """Return the saved objects of the cluster together with `objects`, a map from storage key to object.

        The cluster does not change. Raises MemkubeError if the server does not know the kind of one of the objects.
        """
        try:
            return together(await self._registry.save(), objects)[0]
        except UnknownKind as error:
            raise MemkubeError(str(error)) from None

    async def served(self, definition: str) -> str:
        """Wait until the kind of a CustomResourceDefinition is served.

        Returns an empty text, or the reason why the kind is not served.
        """
        try:
            await self._operations.defined(definition)
        except WaitTimeout as error:
            return str(error)
        return ""

    async def _create(self, manifest: Manifest, namespace: str, creation: Creation) -> None:
        """Create the object of `manifest` and write the result into `creation`.

        Raises ApiError if the server refuses the object, and NoKind if it does not serve the kind.
        """
        creation.resource = resource = self.resource(manifest.api_version, manifest.kind)
        if "create" not in resource.verbs:
            raise method_not_supported(resource.group_resource, "create")
        if resource.namespaced:
            creation.namespace = named_namespace(manifest) or namespace
        if resource.deprecation:
            creation.warnings.append(resource.deprecation)
        body = _body(manifest)
        data = JsonData(manifest.api_version, manifest.kind, manifest.document, body)
        expected = resource.kind_name
        decoder = BodyDecoder(expected, resource.form, self._registry.catalog)
        obj, creation.unfit = decoder.fit(data, body or b"", "Warn")
        context = WriteContext(creation.namespace, MANAGER, user=NOBODY, warnings=creation.warnings)
        store = self._registry.store(resource)
        if not resource.keeps_objects:
            await store.answer(obj, context)
        else:
            creation.stored = await store.create(obj, context)


def named_namespace(manifest: Manifest) -> str:
    """Return the namespace that a manifest names, or ""."""
    named = manifest.metadata.get("namespace")
    return named if isinstance(named, str) else ""


def document_of(stored: StoredObject) -> dict[str, Any]:
    """Return a copy of a stored object as a dictionary."""
    document: dict[str, Any] = orjson.loads(stored.data)
    return document


def _body(manifest: Manifest) -> bytes | None:
    """Return the text of the manifest's file if the file is JSON and contains only the manifest's object.

    Returns None for any other file, and if a key of the object is duplicated.
    """
    text = manifest.text
    alone = text is not None and text.is_json and not manifest.path and not manifest.duplicates
    return text.text.encode() if alone and text is not None else None
