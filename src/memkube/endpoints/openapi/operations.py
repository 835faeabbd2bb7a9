"""The operations on resources, by path and HTTP method, with their parameters, as OpenAPI v3."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from dataclasses import replace as replaced
from typing import Any, Final, TypeAlias

from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.meta.v1.status import Status
from memkube.apimachinery.schema import ListSchema, Scalar, StructSchema
from memkube.endpoints.openapi.components import PATCH as PATCH_TYPE
from memkube.endpoints.openapi.components import Components, Json
from memkube.endpoints.openapi.descriptions import operation_infix, tag
from memkube.endpoints.requests.negotiation import JSON, PROTOBUF, WATCH_TYPES, YAML

Parameter: TypeAlias = dict[str, Any]

_QUERY: Final = {
    "allowWatchBookmarks": ("boolean", "True to send bookmarks in a watch."),
    "continue": ("string", "Continue token of the previous page."),
    "dryRun": ("string", "Set to All to process the request without storing the result."),
    "fieldManager": ("string", "Name of the field manager that owns the changed fields."),
    "fieldSelector": ("string", "Selects objects by their fields."),
    "fieldValidation": ("string", "Handling of unknown and duplicate fields: Ignore, Warn or Strict."),
    "force": ("boolean", "True to take over fields of other managers in an apply."),
    "gracePeriodSeconds": ("integer", "Seconds until the object is deleted; 0 deletes it at once."),
    "ignoreStoreReadErrorWithClusterBreakingPotential": (
        "boolean",
        "True to delete an object that can no longer be read.",
    ),
    "labelSelector": ("string", "Selects objects by their labels."),
    "limit": ("integer", "Maximum number of objects in the response."),
    "orphanDependents": ("boolean", "Deprecated: use propagationPolicy. True to keep dependents."),
    "pretty": ("string", "True to indent the response."),
    "propagationPolicy": ("string", "Handling of dependents: Orphan, Background or Foreground."),
    "resourceVersion": ("string", "Version to read at or to watch from."),
    "resourceVersionMatch": ("string", "Meaning of resourceVersion: Exact or NotOlderThan."),
    "sendInitialEvents": ("boolean", "True to begin a watch with the existing objects."),
    "shardSelector": ("string", "Selects a part of the objects by their identity."),
    "timeoutSeconds": ("integer", "Seconds after which a list or watch ends."),
    "watch": ("boolean", "True to watch instead of listing."),
}
_PATH: Final = {
    "name": "Name of the object.",
    "namespace": "Namespace of the object.",
    "path": "Path of the proxied request.",
}
_OPTION_TYPES: Final = {"string": "string", "bool": "boolean", "int32": "integer", "int64": "integer"}

WRITE: Final = ("dryRun", "fieldManager", "fieldValidation")
PATCH: Final = (*WRITE, "force")
DELETE: Final = (
    "dryRun",
    "gracePeriodSeconds",
    "ignoreStoreReadErrorWithClusterBreakingPotential",
    "orphanDependents",
    "propagationPolicy",
)
_SELECTION: Final = (
    "continue",
    "fieldSelector",
    "labelSelector",
    "limit",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "shardSelector",
    "timeoutSeconds",
)
LIST: Final = ("allowWatchBookmarks", *_SELECTION, "watch")
DELETE_COLLECTION: Final = (*_SELECTION, *DELETE)
MEDIA: Final = (JSON, YAML, PROTOBUF)
_WATCH_MEDIA: Final = (*MEDIA, *WATCH_TYPES)
_TEXT_MEDIA: Final = (*MEDIA, "text/plain")
PATCH_MEDIA: Final = ("application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json")
_STRATEGIC: Final = "application/strategic-merge-patch+json"
_UNAUTHORIZED: Final[Json] = {"description": "Unauthorized"}
_STATUS_WORDS: Final = {200: "OK", 201: "Created", 202: "Accepted"}
_DESCRIPTIONS: Final = {
    "get": "Reads {one}.",
    "list": "Lists objects of kind {kind}, or watches them.",
    "watch": "Watches {one}. Deprecated: a list with the parameter watch does the same.",
    "watchlist": "Watches objects of kind {kind}. Deprecated: a list with the parameter watch does the same.",
    "post": "Creates {one}.",
    "put": "Replaces {one}.",
    "patch": "Changes {one} in part.",
    "delete": "Deletes {one}.",
    "deletecollection": "Deletes objects of kind {kind}.",
    "connect": "Connects {method} requests to {one}.",
}
TEXT: Final[Json] = {"type": "string"}


def query_parameters(names: Iterable[str]) -> list[Parameter]:
    """Return the descriptions of the named query parameters, such as ``limit``."""
    return [_parameter(name, "query", *_QUERY[name]) for name in names]


def path_parameters(names: Iterable[str]) -> list[Parameter]:
    """Return the descriptions of the named path parameters, such as ``namespace``."""
    return [{**_parameter(name, "path", "string", _PATH[name]), "required": True} for name in names]


def option_parameters(options: StructSchema) -> list[Parameter]:
    """Return a query parameter for each field of an options type, such as PodExecOptions."""
    found = []
    for name, option in options.fields.items():
        schema = option.schema.items if isinstance(option.schema, ListSchema) else option.schema
        if isinstance(schema, Scalar) and schema.type in _OPTION_TYPES and not option.embedded:
            found.append(_parameter(name, "query", _OPTION_TYPES[schema.type], option.description))
    return found


def _parameter(name: str, where: str, kind: str, description: str) -> Parameter:
    return {"name": name, "in": where, "description": description, "schema": {"type": kind, "uniqueItems": True}}


@dataclass(frozen=True)
class Operation:
    """An operation on a path: HTTP method, parameters, and types of request and response.

    `schema` is the schema of the response, and `body` is the schema of the request body.
    """

    method: str
    action: str
    id_prefix: str
    schema: Json
    codes: tuple[int, ...] = (200,)
    media: tuple[str, ...] = MEDIA
    body: Json | None = None
    body_media: tuple[str, ...] = ("*/*",)
    body_required: bool = True
    parameters: list[Parameter] = field(default_factory=list)
    id_suffix: str = ""


@dataclass(frozen=True)
class Subject:
    """The kind on which the operations of a path act, with its names in descriptions and operation ids."""

    group: str
    version: str
    kind: Json
    id_subject: str
    parent_kind: str = ""
    part: str = ""
    """Name of the subresource, which follows the parent kind in descriptions; empty for operations on the object
    itself."""

    @property
    def noun(self) -> str:
        """Name of the kind in descriptions of operations: ``Pod`` or, for a subresource, ``Pod's log``."""
        kind: str = self.parent_kind or self.kind["kind"]
        return f"{kind}'s {self.part}" if self.part else kind


def written_operation(operation: Operation, subject: Subject) -> Json:
    """Convert an operation on the kind `subject` to the Operation Object of OpenAPI v3."""
    identifier = operation.id_prefix + subject.id_subject + operation.id_suffix
    prefix, _, rest = identifier.partition("/")
    written: Json = {
        "tags": [tag(subject.group, subject.version)],
        "description": _description(operation, subject),
        "operationId": f"{prefix}{operation_infix(subject.group, subject.version)}{rest}",
    }
    if operation.parameters:
        written["parameters"] = operation.parameters
    if operation.body is not None:
        written["requestBody"] = {"content": {media: {"schema": operation.body} for media in operation.body_media}}
        if operation.body_required:
            written["requestBody"]["required"] = True
    content = {media: {"schema": operation.schema} for media in operation.media}
    written["responses"] = {
        str(code): {"description": _STATUS_WORDS[code], "content": content} for code in operation.codes
    }
    written["responses"]["401"] = _UNAUTHORIZED
    written["x-kubernetes-action"] = operation.action
    written["x-kubernetes-group-version-kind"] = subject.kind
    return written


def _description(operation: Operation, subject: Subject) -> str:
    """Return a sentence that describes an operation on the kind `subject`, such as "Deletes a Pod"."""
    phrase = f"{'an' if subject.noun[:1] in 'AEIO' else 'a'} {subject.noun}"
    return _DESCRIPTIONS[operation.action].format(one=phrase, kind=subject.noun, method=operation.method.upper())


def get(schema: Json) -> Operation:
    """Return the operation of a GET whose response is an object with the OpenAPI schema `schema`."""
    return Operation("get", "get", "read/", schema)


def get_text(parameters: list[Parameter]) -> Operation:
    """Return the operation of a GET whose response is text; `parameters` are its query parameters."""
    return Operation("get", "get", "read/", TEXT, media=_TEXT_MEDIA, parameters=parameters)


def list_or_watch(schema: Json, *, suffix: str = "") -> Operation:
    """Return the operation of a GET that lists or watches objects; its operation id ends with `suffix`.

    `schema` is the OpenAPI schema of the list.
    """
    parameters = query_parameters(LIST)
    return Operation("get", "list", "list/", schema, media=_WATCH_MEDIA, parameters=parameters, id_suffix=suffix)


def watch(schema: Json, *, action: str, suffix: str = "") -> Operation:
    """Return the operation of a GET of a deprecated ``/watch/`` path; its operation id ends with `suffix`.

    `action` is the operation's ``x-kubernetes-action``, such as ``watchlist``, and `schema` the schema of the response.
    """
    parameters = query_parameters(LIST)
    return Operation("get", action, "watch/", schema, media=_WATCH_MEDIA, parameters=parameters, id_suffix=suffix)


def create(schema: Json) -> Operation:
    """Return the operation of a POST that creates an object with the OpenAPI schema `schema`."""
    codes, parameters = (200, 201, 202), query_parameters(WRITE)
    return Operation("post", "post", "create/", schema, codes=codes, body=schema, parameters=parameters)


def replace(schema: Json) -> Operation:
    """Return the operation of a PUT that replaces an object with the OpenAPI schema `schema`."""
    codes, parameters = (200, 201), query_parameters(WRITE)
    return Operation("put", "put", "replace/", schema, codes=codes, body=schema, parameters=parameters)


def patch(schema: Json, components: Components) -> Operation:
    """Return the operation of a PATCH of an object of this schema. The body's schema is added to `components`."""
    return Operation(
        "patch",
        "patch",
        "patch/",
        schema,
        codes=(200, 201),
        body=components.refer_well_known(PATCH_TYPE),
        body_media=(*PATCH_MEDIA, _STRATEGIC),
        parameters=query_parameters(PATCH),
    )


def delete(components: Components, answer: Json | None) -> Operation:
    """Return the operation of a DELETE of one object; `answer` is the schema of the response, None for a Status.

    `components` has the schemas of the OpenAPI document, to which the schemas of DeleteOptions and Status are added.
    """
    return Operation(
        "delete",
        "delete",
        "delete/",
        answer or components.refer_to(Status),
        codes=(200, 202),
        body=components.refer_to(DeleteOptions),
        body_required=False,
        parameters=query_parameters(DELETE),
    )


def delete_collection(components: Components) -> Operation:
    """Return the operation of a DELETE of all selected objects of a collection."""
    return Operation(
        "delete",
        "deletecollection",
        "delete/Collection",
        components.refer_to(Status),
        body=components.refer_to(DeleteOptions),
        body_required=False,
        parameters=query_parameters(DELETE_COLLECTION),
    )


def connect(method: str, parameters: list[Parameter], *, suffix: str = "") -> Operation:
    """Return the operation that opens a connection to a subresource, such as exec, by the HTTP method `method`.

    `parameters` are its query parameters. Its operation id ends with `suffix`.
    """
    prefix = f"connect/{method.capitalize()}"
    return Operation(method, "connect", prefix, TEXT, media=("*/*",), parameters=parameters, id_suffix=suffix)


def without_protobuf(operation: Operation) -> Operation:
    """Return a copy of an operation without the protobuf media types, for a kind that has no protobuf encoding."""
    return replaced(operation, media=tuple(media for media in operation.media if not media.startswith(PROTOBUF)))


def path_item(operations: Iterable[Operation], subject: Subject, common: list[Parameter]) -> Json:
    """Convert the operations on a path, which act on the kind `subject`, to the path's Path Item Object.

    The parameters `common`, such as ``namespace``, are added to the Path Item Object. Parameters that all operations
    share are moved from the operations to the Path Item Object.
    """
    item: Json = {op.method: written_operation(op, subject) for op in operations}
    shared = [parameter for parameter in _first_parameters(item) if _is_shared(parameter, item)]
    for operation in item.values():
        own = [p for p in operation.get("parameters", []) if p not in shared]
        operation.pop("parameters", None)
        if own:
            operation["parameters"] = sorted(own, key=_parameter_name)
    parameters = sorted([*common, *shared], key=_parameter_name)
    return {**item, "parameters": parameters} if parameters else item


def _first_parameters(item: Json) -> list[Parameter]:
    return next((list(operation.get("parameters", [])) for operation in item.values()), [])


def _is_shared(parameter: Parameter, item: Json) -> bool:
    return all(parameter in operation.get("parameters", []) for operation in item.values())


def _parameter_name(parameter: Parameter) -> Any:
    return parameter["name"]
