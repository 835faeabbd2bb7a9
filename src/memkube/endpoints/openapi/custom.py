"""OpenAPI of custom kinds: schemas and operations, as kube-apiserver's apiextensions server publishes them.

Source: apiextensions ``pkg/controller/openapi/builder`` and, for keywords that v2 lacks, ``openapi/v2``.
"""

from collections.abc import Iterator
from typing import Any, Final

from memkube.apimachinery.meta.v1.api_object import ListMeta, ObjectMeta
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.meta.v1.status import Status
from memkube.apimachinery.structural.keywords import EMBEDDED, INT_OR_STRING, PRESERVES
from memkube.endpoints.openapi import operations as op
from memkube.endpoints.openapi.components import PATCH, Components, Json
from memkube.endpoints.openapi.descriptions import ResourceDescription, SubresourceDescription, kind_name, root_path
from memkube.endpoints.openapi.operations import Operation, path_parameters, query_parameters

_MEDIA: Final = ("application/json", "application/yaml")
_INT_OR_STRING_FORMS: Final = [{"type": "integer"}, {"type": "string"}]
_TEXT: Final = {"type": "string"}
_TYPE: Final[Json] = {
    "apiVersion": {"description": "Group and version that the object is written in.", **_TEXT},
    "kind": {"description": "Kind of the object.", **_TEXT},
}
_BEYOND_V2: Final = ("allOf", "oneOf", "anyOf", "not", "default")


def custom_paths(resource: ResourceDescription, components: Components) -> Iterator[tuple[str, Json]]:
    """Yield the paths of a custom kind with their Path Item Objects, without the deprecated ``/watch/`` paths."""
    paths = _CustomPaths(resource, components)
    yield from paths.collections()
    yield paths.named()
    for subresource in resource.subresources:
        yield paths.subresource(subresource)


def custom_schemas(resource: ResourceDescription, metadata: Json, list_metadata: Json, *, v2: bool) -> dict[str, Json]:
    """Return the schemas of a custom kind and of its list kind, by name.

    `metadata` and `list_metadata` are references to ObjectMeta and ListMeta in the syntax of OpenAPI v2 if
    `v2` is True, otherwise of v3.
    """
    name = _name_of(resource)
    described = {"description": "Name, owners and the like of the object.", **metadata}
    of_lists = {"description": "Version of the list and token for what follows.", **list_metadata}
    prefix = "#/definitions/" if v2 else "#/components/schemas/"
    items = {"description": "Objects of the list.", "type": "array", "items": {"$ref": f"{prefix}{name}"}}
    listed: Json = {
        "description": f"{resource.list_kind} is a list of {resource.kind}",
        "type": "object",
        "required": ["items"],
        "properties": {**_TYPE, "items": items, "metadata": of_lists},
    }
    written = {name: _kind(resource, described, v2=v2), _list_name_of(resource): listed}
    for kind, schema in zip((resource.kind, resource.list_kind), written.values(), strict=True):
        gvk = {"group": resource.group, "kind": kind, "version": resource.version}
        schema["x-kubernetes-group-version-kind"] = [gvk]
        if resource.selectable:
            schema["x-kubernetes-selectable-fields"] = [{"fieldPath": path} for path in resource.selectable]
    return written


def _name_of(resource: ResourceDescription) -> str:
    return kind_name(resource.group, resource.version, resource.kind, resource.schema)


def _list_name_of(resource: ResourceDescription) -> str:
    return kind_name(resource.group, resource.version, resource.list_kind, resource.schema)


def _kind(resource: ResourceDescription, metadata: Json, *, v2: bool) -> Json:
    document = resource.document or {}
    if v2 and document.get(PRESERVES):
        return {"type": "object"}
    written = _written(document, metadata, v2=v2)
    return {**written, "properties": {**written.get("properties", {}), **_TYPE, "metadata": metadata}}


def _written(node: Json, metadata: Json, *, v2: bool) -> Json:
    """Convert the structural schema `node` to a schema of OpenAPI v3, or of v2 if `v2` is True.

    Objects with ``x-kubernetes-embedded-resource`` get the properties apiVersion, kind and metadata; `metadata` is the
    schema of the property metadata.
    """
    written = _for_v2(node) if v2 else _unfolded(node)
    if "properties" in written:
        fields = written["properties"].items()
        written["properties"] = {name: _written(inner, metadata, v2=v2) for name, inner in fields}
    for keyword in ("items", "additionalProperties"):
        if isinstance(written.get(keyword), dict):
            written[keyword] = _written(written[keyword], metadata, v2=v2)
    if node.get(EMBEDDED) and not (v2 and node.get(PRESERVES)):
        needed = written.get("required", [])
        written["properties"] = {**written.get("properties", {}), **_TYPE, "metadata": metadata}
        written["required"] = [*needed, *(name for name in ("kind", "apiVersion") if name not in needed)]
    return written


def _unfolded(node: Json) -> Json:
    if not node.get(INT_OR_STRING):
        return dict(node)
    any_of, all_of = node.get("anyOf"), node.get("allOf", [])
    if any_of == _INT_OR_STRING_FORMS or (all_of and all_of[0].get("anyOf") == _INT_OR_STRING_FORMS):
        return dict(node)
    if any_of is None:
        return {**node, "anyOf": _INT_OR_STRING_FORMS}
    return {**node, "allOf": [{"anyOf": _INT_OR_STRING_FORMS}, *all_of]}


def _for_v2(node: Json) -> Json:
    """Return the structural schema `node` without keywords that OpenAPI v2 lacks or old versions of kubectl reject."""
    written = {keyword: value for keyword, value in node.items() if keyword not in _BEYOND_V2}
    nullable, preserves = written.pop("nullable", False), bool(node.get(PRESERVES))
    if nullable or preserves:
        written.pop("items", None)
        written.pop("properties", None)
    if nullable or (node.get("type") == "array" and "items" not in written):
        written.pop("type", None)
    if preserves and node.get("type") == "object":
        written.pop("type", None)
    fields, values = written.get("properties", {}), written.get("additionalProperties")
    needed = [name for name in written.pop("required", []) if not fields.get(name, {}).get("nullable")]
    if isinstance(values, dict) and values.get("nullable"):
        needed = []
    return {**written, "required": needed} if needed else written


class _CustomPaths:
    def __init__(self, resource: ResourceDescription, components: Components) -> None:
        self.resource = resource
        self.components = components
        metadata, of_lists = components.refer_to(ObjectMeta), components.refer_to(ListMeta)
        schemas = custom_schemas(resource, {"allOf": [metadata]}, {"allOf": [of_lists]}, v2=False)
        self.schema, self.list_schema = (components.add(name, schema) for name, schema in schemas.items())
        self.root = root_path(resource.group, resource.version)
        self.collection = f"{'/namespaces/{namespace}' if resource.namespaced else ''}/{resource.plural}"
        self.scope = ("namespace",) if resource.namespaced else ()
        self.infix = f"Namespaced{resource.kind}" if resource.namespaced else resource.kind

    def item(self, operations: list[Operation], identifier: str, *names: str, part: str = "") -> Json:
        of = self.resource
        kind = {"group": of.group, "version": of.version, "kind": of.kind}
        subject = op.Subject(of.group, of.version, kind, identifier, of.kind, part)
        return op.path_item(operations, subject, [*path_parameters(names), *query_parameters(["pretty"])])

    def collections(self) -> Iterator[tuple[str, Json]]:
        operations = [_list(self.list_schema), _create(self.schema), _delete_collection(self.components)]
        yield self.root + self.collection, self.item(operations, self.infix, *self.scope)
        if self.resource.namespaced:
            everywhere = _list(self.list_schema, "ForAllNamespaces")
            yield f"{self.root}/{self.resource.plural}", self.item([everywhere], self.resource.kind)

    def named(self) -> tuple[str, Json]:
        get, put, patch = self.changes(self.schema)
        operations = [get, put, _delete(self.components), patch]
        return f"{self.root}{self.collection}/{{name}}", self.item(operations, self.infix, "name", *self.scope)

    def subresource(self, description: SubresourceDescription) -> tuple[str, Json]:
        path = f"{self.root}{self.collection}/{{name}}/{description.name}"
        schema = self.schema
        if description.kind != self.resource.kind and description.schema is not None:
            name = kind_name(description.group, description.version, description.kind, description.schema)
            schema = self.components.refer(name, description.schema)
            self.components.declare_kind(name, description.group, description.version, description.kind)
        identifier = f"{self.infix}{description.name.capitalize()}"
        return path, self.item(self.changes(schema), identifier, "name", *self.scope, part=description.name)

    def changes(self, schema: Json) -> list[Operation]:
        patch = self.components.refer_well_known(PATCH)
        return [
            Operation("get", "get", "read/", schema, media=_MEDIA, parameters=query_parameters(["resourceVersion"])),
            _writing("put", "replace/", schema, (200, 201)),
            Operation(
                "patch",
                "patch",
                "patch/",
                schema,
                media=_MEDIA,
                body=patch,
                body_media=op.PATCH_MEDIA,
                parameters=query_parameters(op.PATCH),
            ),
        ]


def _list(schema: Json, suffix: str = "") -> Operation:
    parameters = query_parameters(op.LIST)
    return Operation("get", "list", "list/", schema, media=_MEDIA, parameters=parameters, id_suffix=suffix)


def _create(schema: Json) -> Operation:
    return _writing("post", "create/", schema, (200, 201, 202))


def _writing(method: str, prefix: str, schema: Json, codes: tuple[int, ...]) -> Operation:
    parameters: list[Any] = query_parameters(op.WRITE)
    return Operation(
        method, method, prefix, schema, codes=codes, media=_MEDIA, body=schema, body_media=_MEDIA, parameters=parameters
    )


def _delete(components: Components) -> Operation:
    return Operation(
        "delete",
        "delete",
        "delete/",
        components.refer_to(Status),
        codes=(200, 202),
        media=_MEDIA,
        body=components.refer_to(DeleteOptions),
        body_media=_MEDIA,
        body_required=False,
        parameters=query_parameters(op.DELETE),
    )


def _delete_collection(components: Components) -> Operation:
    answer, parameters = components.refer_to(Status), query_parameters(op.LIST)
    return Operation("delete", "deletecollection", "delete/Collection", answer, media=_MEDIA, parameters=parameters)
