"""The paths above those of groups and versions: which of them there are, and what the server is."""

from collections.abc import Iterable, Iterator
from typing import Final

from memkube.apimachinery.meta.v1.api_resources import APIGroup, APIGroupList, APIVersions
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.schema import struct_of
from memkube.endpoints.openapi.components import Components, Json
from memkube.endpoints.openapi.names import openapi_name, operation_infix, tag

_MEDIA: Final = ("application/json", "application/yaml")
_VERSION_INFO: Final = "io.k8s.apimachinery.pkg.version.Info"
_VERSION_MEMBERS: Final = {
    "major": "Major version of the release.",
    "minor": "Minor version of the release.",
    "gitVersion": "The release.",
    "gitCommit": "What the server was built from.",
    "gitTreeState": "Whether that was changed.",
    "buildDate": "When the server was built.",
    "goVersion": "What the server runs on.",
    "compiler": "What compiled the server.",
    "platform": "Operating system and processor.",
}
_OTHER_VERSION_MEMBERS: Final = {
    "emulationMajor": "Major version that is emulated.",
    "emulationMinor": "Minor version that is emulated.",
    "minCompatibilityMajor": "Major version of the oldest release that the server works beside.",
    "minCompatibilityMinor": "Minor version of the oldest release that the server works beside.",
}


def root_paths(groups: Iterable[str]) -> Iterator[tuple[str, Json, Components]]:
    """Each path with its item and what that refers to."""
    yield _discovery("/api/", "core", "getCoreAPIVersions", APIVersions, "Lists the versions of the core group.")
    yield _discovery("/apis/", "apis", "getAPIVersions", APIGroupList, "Lists the groups.")
    for group in sorted({group for group in groups if group}):
        identifier = f"get{operation_infix(group)}APIGroup"
        yield _discovery(f"/apis/{group}/", tag(group), identifier, APIGroup, "Lists the versions of the group.")
    components = Components()
    reference = components.add(_VERSION_INFO, _version_info())
    content = {"application/json": {"schema": reference}}
    yield "/version/", _get("version", "getCodeVersion", "Tells which release the server is.", content), components


def _discovery(
    path: str, of: str, identifier: str, model: type[ApiModel], description: str
) -> tuple[str, Json, Components]:
    components = Components()
    schema = components.refer_to(model)
    components.declare_kind(openapi_name(struct_of(model)), "", "v1", model.__name__)
    return path, _get(of, identifier, description, {media: {"schema": schema} for media in _MEDIA}), components


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
