"""The OpenAPI v2 document, for clients that do not know v3: the v3 documents, merged and converted."""

from collections.abc import Iterable
from typing import Any, Final

from memkube.endpoints.openapi.components import INT_OR_STRING, QUANTITY, Json
from memkube.endpoints.openapi.custom import custom_schemas
from memkube.endpoints.openapi.descriptions import META, ResourceDescription, group_versions, groups_with_own_documents
from memkube.endpoints.openapi.v3 import OPENID_TAGS, RELEASE, TITLE, root_paths, v3_document

_METHODS: Final = frozenset({"get", "put", "post", "delete", "options", "head", "patch"})
_REFERENCE_V3: Final = "#/components/schemas/"
_REFERENCE_V2: Final = "#/definitions/"
_METADATA: Final = {"$ref": f"{_REFERENCE_V2}{META}.ObjectMeta"}
_LIST_METADATA: Final = {"$ref": f"{_REFERENCE_V2}{META}.ListMeta"}
_SIMPLE: Final[dict[str, Json]] = {
    QUANTITY: {"type": "string"},
    INT_OR_STRING: {"type": "string", "format": "int-or-string"},
}
"""Schemas in v2 of types that are a union in v3, such as string or integer: v2 has no unions."""


def v2_document(resources: Iterable[ResourceDescription]) -> Json:
    """Return the v2 document, which contains the paths and types of all resources."""
    described = list(resources)
    paths: Json = {}
    definitions: Json = {}
    parts = [v3_document(group, version, described) for group, version in group_versions(described)]
    written = [(part["paths"], part["components"]["schemas"]) for part in parts]
    roots = root_paths(groups_with_own_documents(described))
    written += [({path: item}, made.schemas()) for path, item, made in roots]
    for items, schemas in written:
        paths.update({path: _path_item(item) for path, item in items.items()})
        for name, schema in schemas.items():
            definitions[name] = _merged_kinds(_definition(name, schema), definitions.get(name))
    for resource in described:
        if resource.is_custom:
            definitions |= custom_schemas(resource, _METADATA, _LIST_METADATA, v2=True)
    return {
        "swagger": "2.0",
        "info": {"title": TITLE, "version": RELEASE},
        "paths": dict(sorted(paths.items())),
        "definitions": dict(sorted(definitions.items())),
        "securityDefinitions": {
            "BearerToken": {
                "description": "Bearer Token authentication",
                "type": "apiKey",
                "name": "authorization",
                "in": "header",
            }
        },
        "security": [{"BearerToken": []}],
    }


def _path_item(item: Json) -> Json:
    written: Json = {key: _operation(value) for key, value in item.items() if key in _METHODS}
    if "parameters" in item:
        written["parameters"] = [_parameter(parameter) for parameter in item["parameters"]]
    return written


def _consumed(operation: Json) -> Json:
    """Return the field ``consumes`` of an operation, as kube-apiserver declares it.

    An operation with a request body consumes the body's media types. If it has no body, it consumes ``*/*`` on a
    resource; on a path without a resource, such as ``/version/``, the declared types are the media types of the
    response. OpenID Connect Discovery has no such field: the result is {}.
    """
    if operation.get("requestBody") is not None:
        return {"consumes": list(operation["requestBody"]["content"])}
    if "x-kubernetes-action" in operation:
        return {"consumes": ["*/*"]}
    return {} if operation["tags"][0] in OPENID_TAGS else {"consumes": list(operation["responses"]["200"]["content"])}


def _operation(operation: Json) -> Json:
    body = operation.get("requestBody")
    content = operation["responses"].get("200", {}).get("content", {})
    parameters = [_parameter(parameter) for parameter in operation.get("parameters", [])]
    if body is not None:
        parameters.insert(0, _body_parameter(body))
    written: Json = {
        **_consumed(operation),
        "produces": list(content),
        "schemes": ["https"],
        "description": operation["description"],
        "tags": operation["tags"],
        "operationId": operation["operationId"],
        "responses": {code: _response(response) for code, response in operation["responses"].items()},
    }
    if parameters:
        written["parameters"] = parameters
    return written | {key: value for key, value in operation.items() if key.startswith("x-")}


def _body_parameter(body: Json) -> Json:
    schema = next(iter(body["content"].values()))["schema"]
    written: Json = {"name": "body", "in": "body", "schema": _schema(schema)}
    return written | ({"required": True} if body.get("required") else {})


def _parameter(parameter: Json) -> Json:
    schema = parameter["schema"]
    return {**{key: value for key, value in parameter.items() if key != "schema"}, **schema}


def _response(response: Json) -> Json:
    written: Json = {"description": response["description"]}
    for media in response.get("content", {}).values():
        return written | {"schema": _schema(media["schema"])}
    return written


def _definition(name: str, schema: Json) -> Json:
    simple = _SIMPLE.get(name)
    if simple is None:
        return _schema(schema)
    return {"description": schema["description"], **simple}


def _schema(schema: Json) -> Json:
    """Convert a schema from v3 to v2.

    Defaults are left out, and an ``allOf`` with one reference becomes the reference itself.
    """
    written: Json = {}
    for key, value in schema.items():
        if key == "allOf" and len(value) == 1:
            written |= _schema(value[0])
        elif key == "$ref":
            written[key] = value.replace(_REFERENCE_V3, _REFERENCE_V2)
        elif key == "properties":
            written[key] = {name: _schema(field) for name, field in value.items()}
        elif key in ("items", "additionalProperties") and isinstance(value, dict):
            written[key] = _schema(value)
        elif key != "default":
            written[key] = value
    return written


def _merged_kinds(schema: Json, earlier: Json | None) -> Json:
    """Return the definition `schema` with the entries of ``x-kubernetes-group-version-kind`` of both definitions.

    `earlier` is the definition of the same name in the documents merged before; None if there is none.
    """
    key = "x-kubernetes-group-version-kind"
    kinds: list[Any] = list((earlier or {}).get(key, []))
    kinds += [kind for kind in schema.get(key, []) if kind not in kinds]
    return {**schema, key: kinds} if kinds else schema
