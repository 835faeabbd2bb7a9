"""The OpenAPI documents of the served resources, generated on demand and cached until the resources change."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import formatdate

import orjson

from memkube.apimachinery.schema import StructSchema, struct_of
from memkube.endpoints.openapi.descriptions import ResourceDescription, SubresourceDescription, root_path
from memkube.endpoints.openapi.protobuf import v2_protobuf
from memkube.endpoints.openapi.v2 import v2_document
from memkube.endpoints.openapi.v3 import content_hash, v3_document, v3_index, v3_root_documents
from memkube.endpoints.responses.messages import has_messages
from memkube.registry.declarations.catalog import Catalog
from memkube.registry.declarations.resource import (
    ConnectSubresource,
    CreateSubresource,
    Resource,
    Subresource,
    ViewSubresource,
)


@dataclass(frozen=True, slots=True)
class Published:
    """An OpenAPI document in the form in which it is served, with its digest."""

    text: bytes
    digest: str
    modified: str
    """Time at which the content of the document last changed, as an HTTP date."""
    generation: int
    """Generation of the catalog for which the document was generated. It grows with each change of the catalog."""


class Documents:
    """Generates and caches the OpenAPI documents of a server's resources.

    Documents are generated in a worker thread, so that the event loop is not blocked.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._kept: dict[str, Published] = {}
        self._root_documents: dict[str, Published] = {}
        self._root_generation = -1
        self._making = asyncio.Lock()

    async def v3(self, path: str) -> Published | None:
        """Return the OpenAPI v3 document at a path below ``/openapi/v3/``; None if no document has this path."""
        named = self._versions().get(path)
        if named is None:
            return self._roots().get(path)
        group, version = named
        resources = self._catalog.in_version(group, version)
        return await self._made(
            path,
            self._catalog.group_generation(group),
            lambda: orjson.dumps(v3_document(group, version, [describe(resource) for resource in resources])),
        )

    async def v3_index(self) -> Published:
        """Return the index of the OpenAPI v3 documents. Each URL in it contains the digest of the document."""
        documents = {**self._roots(), **{path: await self.v3(path) for path in self._versions()}}
        digests = {path: document.digest for path, document in documents.items() if document is not None}
        return await self._made("v3-index", self._catalog.generation, lambda: orjson.dumps(v3_index(digests)))

    async def v2(self) -> Published:
        """Return the OpenAPI v2 document of all resources as JSON."""
        resources = list(self._catalog)
        return await self._made(
            "v2",
            self._catalog.generation,
            lambda: orjson.dumps(v2_document([describe(resource) for resource in resources])),
        )

    async def v2_protobuf(self) -> Published:
        """Return the OpenAPI v2 document of all resources as protobuf (gnostic's ``openapi.v2.Document``)."""
        document = await self.v2()
        return await self._made(
            "v2-protobuf", self._catalog.generation, lambda: v2_protobuf(orjson.loads(document.text))
        )

    async def texts(self) -> dict[str, bytes]:
        """Return all OpenAPI v3 documents as JSON text, by their path below ``/openapi/v3/``."""
        paths = sorted({*self._versions(), *self._roots()})
        found = {path: await self.v3(path) for path in paths}
        return {path: document.text for path, document in found.items() if document is not None}

    def _versions(self) -> dict[str, tuple[str, str]]:
        """Return the served groups and versions, by the path of their OpenAPI v3 document."""
        groups = self._catalog.groups.items()
        return {root_path(group, version)[1:]: (group, version) for group, versions in groups for version in versions}

    def _roots(self) -> dict[str, Published]:
        """Return the OpenAPI v3 documents of paths without a group and version, such as ``apis``, by path."""
        generation = self._catalog.generation
        if self._root_generation != generation:
            texts = v3_root_documents({resource.group for resource in self._catalog if resource.structural is None})
            before = self._root_documents
            self._root_documents = {path: published(text, generation, before.get(path)) for path, text in texts.items()}
            self._root_generation = generation
        return self._root_documents

    async def _made(self, name: str, generation: int, make: Callable[[], bytes]) -> Published:
        known = self._kept.get(name)
        if known is not None and known.generation == generation:
            return known
        async with self._making:
            known = self._kept.get(name)
            if known is None or known.generation != generation:
                text = await asyncio.to_thread(make)
                known = self._kept[name] = published(text, generation, known)
            self._remove_unserved()
            return known

    def _remove_unserved(self) -> None:
        """Remove the cached documents of groups and versions that are no longer served."""
        for name in self._kept.keys() - {*self._versions(), "v2", "v2-protobuf", "v3-index"}:
            del self._kept[name]


def published(text: bytes, generation: int, before: Published | None) -> Published:
    """Return an OpenAPI document with its digest and the time of its last modification.

    `generation` is the generation of the catalog of resources from which the document `text` was made. If
    `before`, the previous document, has the same digest, its modification time is kept.
    """
    digest = content_hash(text)
    same = before is not None and before.digest == digest
    modified = before.modified if before is not None and same else formatdate(usegmt=True)
    return Published(text, digest, modified, generation)


def indented(text: bytes) -> bytes:
    """Return a JSON document with one member on each line, for comparing two documents line by line."""
    return orjson.dumps(orjson.loads(text), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def describe(resource: Resource) -> ResourceDescription:
    """Return the description of a resource from which OpenAPI documents are generated."""
    return ResourceDescription(
        group=resource.group,
        version=resource.version,
        kind=resource.kind,
        plural=resource.plural,
        namespaced=resource.namespaced,
        schema=resource.schema,
        verbs=resource.verbs,
        subresources=tuple(_describe_subresource(resource, s) for s in resource.subresources),
        # kube-apiserver answers the DELETE of a Namespace with the Namespace as long as it is terminating, and with a
        # Status otherwise. Its document declares only the Status, and so does this one.
        delete_answers_object=resource.strategy.returns_deleted and not resource.holds_namespaces,
        has_protobuf=has_messages(resource),
        document=None if resource.structural is None else resource.structural.document,
        list_kind=resource.kind_of_lists,
        selectable=tuple(label for label in resource.fields.labels if not label.startswith("metadata.")),
    )


def _describe_subresource(resource: Resource, subresource: Subresource) -> SubresourceDescription:
    group, version, kind = resource.group, resource.version, resource.kind
    schema: StructSchema | None = resource.schema
    if isinstance(subresource, ConnectSubresource):
        connects = bool(subresource.options_kind)
        return SubresourceDescription(
            name=subresource.name,
            group=group,
            version=version,
            kind=subresource.options_kind or kind,
            schema=None,
            verbs=subresource.verbs,
            query=struct_of(subresource.options),
            connect_methods=tuple(method.lower() for method in subresource.methods) if connects else (),
            has_path=subresource.has_path,
        )
    if isinstance(subresource, ViewSubresource):
        shown = subresource.shown
        group, version, kind, schema = shown.group, shown.version, shown.kind, shown.schema
    elif isinstance(subresource, CreateSubresource):
        kind, schema = subresource.kind, struct_of(subresource.model)
        if subresource.version:
            group, version = subresource.group, subresource.version
    return SubresourceDescription(
        name=subresource.name, group=group, version=version, kind=kind, schema=schema, verbs=subresource.verbs
    )
