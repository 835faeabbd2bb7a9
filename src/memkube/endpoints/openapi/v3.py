"""OpenAPI v3 documents: an index, and one document for each group and version."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Final

import orjson

from memkube.apimachinery.meta.v1.api_resources import APIResourceList
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.meta.v1.status import Status, WatchEvent
from memkube.apimachinery.schema import struct_of
from memkube.endpoints.openapi.components import Components, Json
from memkube.endpoints.openapi.descriptions import ResourceDescription, group_versions, root_path
from memkube.endpoints.openapi.names import openapi_name
from memkube.endpoints.openapi.paths import resource_list_path, resource_paths
from memkube.endpoints.openapi.roots import root_paths

TITLE: Final = "Kubernetes"
RELEASE: Final = "1.36"
_SECURITY_SCHEMES: Final = {
    "BearerToken": {
        "type": "apiKey",
        "description": "Bearer Token authentication",
        "name": "authorization",
        "in": "header",
    }
}
_SHARED_KINDS: Final = (APIResourceList, Status)
_KINDS_OF_EVERY_GROUP: Final = (DeleteOptions, WatchEvent)


def v3_document(group: str, version: str, resources: Iterable[ResourceDescription]) -> Json:
    """The document of a group and version; resources of others are left out."""
    components = Components()
    path, item = resource_list_path(group, version, components)
    paths = {path: item}
    for resource in resources:
        if (resource.group, resource.version) == (group, version):
            paths.update(resource_paths(resource, components))
    _declare_shared_kinds(components, group, version)
    return _document(paths, components)


def v3_documents(resources: Iterable[ResourceDescription]) -> dict[str, bytes]:
    """All documents as JSON text, by their address without /openapi/v3/."""
    described = list(resources)
    documents = {
        root_path(group, version)[1:]: orjson.dumps(v3_document(group, version, described))
        for group, version in group_versions(described)
    }
    return dict(sorted({**documents, **v3_root_documents(group for group, _ in group_versions(described))}.items()))


def v3_root_documents(groups: Iterable[str]) -> dict[str, bytes]:
    """The documents of the addresses above those of groups and versions, likewise."""
    return {path.strip("/"): orjson.dumps(_document({path: item}, made)) for path, item, made in root_paths(groups)}


def _document(paths: Json, components: Components) -> Json:
    return {
        "openapi": "3.0.0",
        "info": {"title": TITLE, "version": RELEASE},
        "paths": dict(sorted(paths.items())),
        "components": {"schemas": components.schemas(), "securitySchemes": _SECURITY_SCHEMES},
    }


def v3_index(digests: Mapping[str, str]) -> Json:
    """What /openapi/v3 answers: the documents' addresses, which change with the digests of their content."""
    addresses = {path: f"/openapi/v3/{path}?hash={digest}" for path, digest in sorted(digests.items())}
    return {"paths": {path: {"serverRelativeURL": address} for path, address in addresses.items()}}


def content_hash(text: bytes) -> str:
    """The digest of a document that its address carries."""
    return hashlib.sha512(text).hexdigest().upper()


def _declare_shared_kinds(components: Components, group: str, version: str) -> None:
    """The kinds that every group has, or that only the core group has."""
    present = components.schemas()
    for model in (*_SHARED_KINDS, *_KINDS_OF_EVERY_GROUP):
        name = openapi_name(struct_of(model))
        if name in present:
            components.declare_kind(name, "", "v1", model.__name__)
            if model in _KINDS_OF_EVERY_GROUP:
                components.declare_kind(name, group, version, model.__name__)
