"""Conversion of API types to OpenAPI v3 schemas."""

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from memkube.apimachinery.markers import OneOf
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.schema import FieldSchema, ListSchema, MapSchema, Scalar, Schema, StructSchema, struct_of
from memkube.endpoints.openapi.descriptions import META, openapi_name, reference

Json: TypeAlias = dict[str, Any]

QUANTITY: Final = "io.k8s.apimachinery.pkg.api.resource.Quantity"
INT_OR_STRING: Final = "io.k8s.apimachinery.pkg.util.intstr.IntOrString"
RAW_EXTENSION: Final = "io.k8s.apimachinery.pkg.runtime.RawExtension"
PATCH: Final = f"{META}.Patch"
_DEFINITIONS: Final = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1"

_WELL_KNOWN: Final[Mapping[str, Json]] = {
    QUANTITY: {
        "description": "A fixed-point number with a suffix, such as 500m or 1Gi.",
        "oneOf": [{"type": "string"}, {"type": "number"}],
    },
    INT_OR_STRING: {
        "description": "An integer or a string.",
        "format": "int-or-string",
        "oneOf": [{"type": "integer"}, {"type": "string"}],
    },
    RAW_EXTENSION: {"description": "An object of any type.", "type": "object"},
    PATCH: {"description": "A change to an object, in the form that the media type names.", "type": "object"},
    f"{_DEFINITIONS}.JSON": {"description": "Any JSON value."},
    f"{_DEFINITIONS}.JSONSchemaPropsOrArray": {"description": "A schema, or a list of schemas."},
    f"{_DEFINITIONS}.JSONSchemaPropsOrBool": {"description": "A schema, or whether anything is allowed."},
    f"{_DEFINITIONS}.JSONSchemaPropsOrStringArray": {"description": "A schema, or a list of names."},
    f"{META}.FieldsV1": {"description": "Fields as a tree of their names.", "type": "object"},
    f"{META}.Time": {"description": "An instant to the second.", "type": "string", "format": "date-time"},
    f"{META}.MicroTime": {"description": "An instant to the microsecond.", "type": "string", "format": "date-time"},
}
_NAMED_SCALARS: Final = {
    "quantity": QUANTITY,
    "int-or-string": INT_OR_STRING,
    "time": f"{META}.Time",
    "microtime": f"{META}.MicroTime",
}
_NAMED_RAWS: Final = {
    "v1.FieldsV1": f"{META}.FieldsV1",
    "runtime.RawExtension": RAW_EXTENSION,
    "v1.JSON": f"{_DEFINITIONS}.JSON",
    "v1.JSONSchemaPropsOrArray": f"{_DEFINITIONS}.JSONSchemaPropsOrArray",
    "v1.JSONSchemaPropsOrBool": f"{_DEFINITIONS}.JSONSchemaPropsOrBool",
    "v1.JSONSchemaPropsOrStringArray": f"{_DEFINITIONS}.JSONSchemaPropsOrStringArray",
}
_SCALARS: Final[Mapping[str, Json]] = {
    "string": {"type": "string"},
    "bool": {"type": "boolean"},
    "int32": {"type": "integer", "format": "int32"},
    "int64": {"type": "integer", "format": "int64"},
    "float64": {"type": "number", "format": "double"},
    "bytes": {"type": "string", "format": "byte"},
    "raw": {},
}
_ZEROS: Final = {"string": "", "bool": False, "int32": 0, "int64": 0, "float64": 0}


class Components:
    """Collects the schemas of an OpenAPI document.

    With a type, the types that its fields refer to are added, too.
    """

    def __init__(self) -> None:
        self._schemas: dict[str, Json] = {}
        self._inside: list[StructSchema] = []

    def schemas(self) -> dict[str, Json]:
        """Return the collected schemas, sorted by name."""
        return dict(sorted(self._schemas.items()))

    def refer_to(self, model: type[ApiModel]) -> Json:
        """Add the schema of the API type `model`, and return a ``$ref`` to the schema."""
        struct = struct_of(model)
        return self.refer(openapi_name(struct), struct)

    def refer(self, name: str, schema: StructSchema) -> Json:
        """Add the schema of a struct to the components as `name`, unless it is there, and return a ``$ref`` to it."""
        if name not in self._schemas:
            self._schemas[name] = {}
            self._schemas[name] = self._struct(schema)
        return {"$ref": reference(name)}

    def refer_well_known(self, name: str) -> Json:
        """Add the predefined schema of the type `name`, such as Quantity, and return a ``$ref`` to it."""
        self._schemas.setdefault(name, dict(_WELL_KNOWN[name]))
        return {"$ref": reference(name)}

    def add(self, name: str, schema: Json) -> Json:
        """Add the OpenAPI schema `schema` to the components as `name`, and return a ``$ref`` to it."""
        self._schemas.setdefault(name, schema)
        return {"$ref": reference(name)}

    def declare_kind(self, name: str, group: str, version: str, kind: str) -> None:
        """Add a group, version and kind to the ``x-kubernetes-group-version-kind`` of the schema `name`."""
        kinds = self._schemas[name].setdefault("x-kubernetes-group-version-kind", [])
        entry = {"group": group, "kind": kind, "version": version}
        if entry not in kinds:
            kinds.append(entry)

    def _struct(self, schema: StructSchema) -> Json:
        required = [field.name for field in schema.fields.values() if field.required]
        written: Json = {"description": schema.description} if schema.description else {}
        written["type"] = "object"
        if required:
            written["required"] = required
        if schema.fields:
            written["properties"] = {
                name: schema.documented.get(name) or self._field(field) for name, field in sorted(schema.fields.items())
            }
        if schema.relationship == "atomic":
            written["x-kubernetes-map-type"] = "atomic"
        union = getattr(schema.model, "union", None)
        if isinstance(union, OneOf):
            written["x-kubernetes-unions"] = [_union(union)]
        return written

    def _field(self, field: FieldSchema) -> Json:
        written: Json = {"description": field.description} if field.description else {}
        value = self._value(field.schema)
        default = _default(field)
        if default is not None:
            written["default"] = default
        if "$ref" in value:
            written["allOf"] = [value]
            if isinstance(field.schema, StructSchema):
                written |= _map_type_of_field(field.schema)
        else:
            written |= value
        if field.merge_key:
            written["x-kubernetes-patch-merge-key"] = field.merge_key
        strategies = ["merge"] * (field.merge_key is not None) + ["replace"] * field.replace
        strategies += ["retainKeys"] * field.retain_keys
        if strategies:
            written["x-kubernetes-patch-strategy"] = ",".join(strategies)
        return written

    def _value(self, schema: Schema) -> Json:
        if isinstance(schema, Scalar):
            return self._scalar(schema)
        if isinstance(schema, ListSchema):
            return self._list(schema)
        if isinstance(schema, MapSchema):
            written: Json = {"type": "object", "additionalProperties": self._value(schema.values)}
            said = schema.declared or schema.relationship == "atomic"
            return written | ({"x-kubernetes-map-type": schema.relationship} if said else {})
        name = openapi_name(schema)
        return self.refer(name, schema.plain) if name else self._nested(schema)

    def _nested(self, schema: StructSchema) -> Json:
        """Return an inline schema for a struct without an OpenAPI name.

        A field that contains the struct itself gets the schema of an object with any fields.
        """
        if schema.plain in self._inside:
            return {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
        self._inside.append(schema.plain)
        written = self._struct(schema)
        self._inside.pop()
        return written

    def _scalar(self, schema: Scalar) -> Json:
        named = _NAMED_RAWS.get(schema.name) if schema.type == "raw" else _NAMED_SCALARS.get(schema.type)
        if named is not None:
            return self.refer_well_known(named)
        written = dict(_SCALARS[schema.type])
        if schema.values:
            written["enum"] = list(schema.values)
        if schema.listed:
            written["x-kubernetes-list-type"] = "atomic"
        return written

    def _list(self, schema: ListSchema) -> Json:
        written: Json = {"type": "array", "items": self._value(schema.items)}
        if schema.keys:
            written["x-kubernetes-list-map-keys"] = list(schema.keys)
        # As in Kubernetes, a list whose Go type has a name of its own gets its x-kubernetes-list-type only with keys.
        if schema.keys or not schema.name:
            written["x-kubernetes-list-type"] = schema.relationship
        return written


def _union(union: OneOf) -> Json:
    named: Json = {"discriminator": union.discriminator} if union.discriminator else {}
    go_names = {name: name[:1].upper() + name[1:] for name in union.members}
    return {**named, "fields-to-discriminateBy": go_names}


def _default(field: FieldSchema) -> Any:
    """Return the default of a field in OpenAPI.

    It is the declared default, or the zero value if the tag of the Go field has no ``omitempty``.
    """
    if field.default is not None:
        return field.default
    if field.pointer:
        return None
    if isinstance(field.schema, StructSchema):
        return {}
    if (field.required or field.always) and not field.omits_zero and isinstance(field.schema, Scalar):
        return _ZEROS.get(field.schema.type)
    return None


def _map_type_of_field(schema: StructSchema) -> Json:
    """Return ``{"x-kubernetes-map-type": …}`` for a field whose map type differs from that of its struct; else ``{}``.

    `schema` is the field's schema.
    """
    return {} if schema.relationship == schema.plain.relationship else {"x-kubernetes-map-type": schema.relationship}
