"""OpenAPI v3 documents: one for each group and version, one for each discovery path, and an index of them."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import orjson

from memkube.apimachinery.meta.v1.api_resources import APIGroup, APIGroupList, APIResourceList, APIVersions
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.meta.v1.status import Status, WatchEvent
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.schema import struct_of
from memkube.endpoints.openapi.components import Components, Json
from memkube.endpoints.openapi.descriptions import (
    ResourceDescription,
    group_versions,
    groups_with_own_documents,
    openapi_name,
    operation_infix,
    root_path,
    tag,
)
from memkube.endpoints.openapi.operations import MEDIA
from memkube.endpoints.openapi.paths import resource_list_path, resource_paths

TITLE: Final = "Kubernetes"
RELEASE: Final = "1.36"
_CUSTOM_INFO: Final = {"title": "Kubernetes CRD Swagger", "version": "v0.1.0"}
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
_VERSION_INFO: Final = "io.k8s.apimachinery.pkg.version.Info"
_VERSION_MEMBERS: Final = {
    "major": "Major version of the release.",
    "minor": "Minor version of the release.",
    "gitVersion": "The release.",
    "gitCommit": "Commit of the source.",
    "gitTreeState": "State of the source tree: clean or dirty.",
    "buildDate": "Time of the build.",
    "goVersion": "Version of the language runtime.",
    "compiler": "Compiler or interpreter.",
    "platform": "Operating system and processor.",
}
_OTHER_VERSION_MEMBERS: Final = {
    "emulationMajor": "Major version that is emulated.",
    "emulationMinor": "Minor version that is emulated.",
    "minCompatibilityMajor": "Major version of the oldest release that the server works beside.",
    "minCompatibilityMinor": "Minor version of the oldest release that the server works beside.",
}


_OPENID: Final = (
    (
        "/.well-known/openid-configuration/",
        "WellKnown",
        "getServiceAccountIssuerOpenIDConfiguration",
        "Returns the issuer of service account tokens (OpenID Connect Discovery).",
        "application/json",
    ),
    (
        "/openid/v1/jwks/",
        "openid",
        "getServiceAccountIssuerOpenIDKeyset",
        "Returns the keys that verify service account tokens, as a JSON Web Key Set.",
        "application/jwk-set+json",
    ),
)


OPENID_TAGS: Final = frozenset(name for _, name, *_ in _OPENID)
"""Tags of the operations of OpenID Connect Discovery."""


def v3_document(group: str, version: str, resources: Iterable[ResourceDescription]) -> Json:
    """Return the v3 document of a group and version. Resources of other groups or versions are ignored."""
    components = Components()
    described = [resource for resource in resources if (resource.group, resource.version) == (group, version)]
    paths: Json = {}
    custom = bool(described) and all(resource.is_custom for resource in described)
    if not custom:
        path, item = resource_list_path(group, version, components)
        paths = {path: item}
    for resource in described:
        paths.update(resource_paths(resource, components))
    _declare_shared_kinds(components, group, version)
    return _document(paths, components, custom=custom)


def v3_documents(resources: Iterable[ResourceDescription]) -> dict[str, bytes]:
    """Return all v3 documents of the resources as JSON text, by their path below ``/openapi/v3/``."""
    described = list(resources)
    documents = {
        root_path(group, version)[1:]: orjson.dumps(v3_document(group, version, described))
        for group, version in group_versions(described)
    }
    return dict(sorted({**documents, **v3_root_documents(groups_with_own_documents(described))}.items()))


def v3_root_documents(groups: Iterable[str]) -> dict[str, bytes]:
    """Return the v3 documents of paths without a group and version, such as ``/apis/``, as JSON text.

    `groups` are the API groups; the path of each of them has a document too. The keys are the documents' paths below
    ``/openapi/v3/``.
    """
    return {path.strip("/"): orjson.dumps(_document({path: item}, made)) for path, item, made in root_paths(groups)}


def _document(paths: Json, components: Components, *, custom: bool = False) -> Json:
    schemas = components.schemas()
    shared: Json = {"schemas": schemas} if schemas else {}
    return {
        "openapi": "3.0.0",
        "info": _CUSTOM_INFO if custom else {"title": TITLE, "version": RELEASE},
        "paths": dict(sorted(paths.items())),
        "components": shared if custom else {**shared, "securitySchemes": _SECURITY_SCHEMES},
    }


def v3_index(digests: Mapping[str, str]) -> Json:
    """Return the index of the v3 documents (``/openapi/v3``): the URL of each document, which contains its digest.

    `digests` has the digest of each document, by the document's path below ``/openapi/v3/``.
    """
    addresses = {path: f"/openapi/v3/{path}?hash={digest}" for path, digest in sorted(digests.items())}
    return {"paths": {path: {"serverRelativeURL": address} for path, address in addresses.items()}}


def content_hash(text: bytes) -> str:
    """Return the digest of a document, which becomes a parameter of its URL."""
    return hashlib.sha512(text).hexdigest().upper()


def _declare_shared_kinds(components: Components, group: str, version: str) -> None:
    """Add groups and versions to the schemas of kinds that several groups share, such as DeleteOptions.

    They are added to the schema's ``x-kubernetes-group-version-kind``. All of these schemas get version v1 of the core
    group. The schemas of DeleteOptions and WatchEvent also get `group` and `version`, to which the document belongs.
    """
    present = components.schemas()
    for model in (*_SHARED_KINDS, *_KINDS_OF_EVERY_GROUP):
        name = openapi_name(struct_of(model))
        if name in present:
            components.declare_kind(name, "", "v1", model.__name__)
            if model in _KINDS_OF_EVERY_GROUP:
                components.declare_kind(name, group, version, model.__name__)


def root_paths(groups: Iterable[str]) -> Iterator[tuple[str, Json, Components]]:
    """Yield the paths without a group and version, such as ``/apis/``.

    Each comes with its Path Item Object, and with the schemas that it refers to.
    """
    yield _discovery("/api/", "core", "getCoreAPIVersions", APIVersions, "Lists the versions of the core group.")
    yield _discovery("/apis/", "apis", "getAPIVersions", APIGroupList, "Lists the groups.")
    for group in sorted({group for group in groups if group}):
        identifier = f"get{operation_infix(group)}APIGroup"
        yield _discovery(f"/apis/{group}/", tag(group), identifier, APIGroup, "Lists the versions of the group.")
    for path, of, identifier, description, media in _OPENID:
        content = {media: {"schema": {"type": "string"}}}
        yield path, _get(of, identifier, description, content), Components()
    components = Components()
    reference = components.add(_VERSION_INFO, _version_info())
    content = {"application/json": {"schema": reference}}
    yield "/version/", _get("version", "getCodeVersion", "Tells which release the server is.", content), components


def _discovery(
    path: str, of: str, identifier: str, model: type[ApiModel], description: str
) -> tuple[str, Json, Components]:
    components = Components()
    schema = components.refer_to(model)
    for kind in (model, APIGroup) if model is APIGroupList else (model,):
        components.declare_kind(openapi_name(struct_of(kind)), "", "v1", kind.__name__)
    return path, _get(of, identifier, description, {media: {"schema": schema} for media in MEDIA}), components


def _get(of: str, identifier: str, description: str, content: Json) -> Json:
    responses = {"200": {"description": "OK", "content": content}, "401": {"description": "Unauthorized"}}
    return {"get": {"tags": [of], "description": description, "operationId": identifier, "responses": responses}}


def _version_info() -> Json:
    properties = {
        name: {"type": "string", "description": description, "default": ""}
        for name, description in _VERSION_MEMBERS.items()
    }
    others = {name: {"type": "string", "description": text} for name, text in _OTHER_VERSION_MEMBERS.items()}
    return {
        "description": "Which release a server is, and how it was built.",
        "type": "object",
        "required": list(_VERSION_MEMBERS),
        "properties": dict(sorted({**properties, **others}.items())),
    }
