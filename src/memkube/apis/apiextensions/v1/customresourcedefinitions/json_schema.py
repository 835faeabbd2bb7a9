"""JSONSchemaProps: the OpenAPI schemas in CustomResourceDefinitions (``types_jsonschema.go``, ``marshal.go``).

As in Go, fields that accept several JSON types have their own decoders, which do not report unknown fields.
"""

from __future__ import annotations

from math import isinf
from typing import Annotated, Any, Final, TypeAlias

from pydantic import Field, PlainValidator, ValidationError

from memkube.apimachinery.decoding import DecodeError, Pairs, decode_document, first_infinity, plain
from memkube.apimachinery.markers import MapList, Merge, Named, Required
from memkube.apimachinery.model import ApiModel, Document
from memkube.apimachinery.scalars import Int64
from memkube.apimachinery.schema import ScalarOf, struct_of

_INT64: Final = 2**63


def _schema(value: Document | Pairs) -> Document:
    """Return an OpenAPI schema as a JSON document. `value` is JSON data, or a tree with the digits of its numbers.

    Raises ValueError with kube-apiserver's message if the schema is invalid.
    """
    try:
        return JSONSchemaProps.model_validate(value).to_document()
    except ValidationError:
        try:
            fitted, _ = decode_document(struct_of(JSONSchemaProps), value)
        except DecodeError as error:
            raise ValueError(error.message) from error
        return JSONSchemaProps.model_validate(fitted).to_document()


def _schema_or_bool(value: Any) -> Any:
    if isinstance(value, dict | Pairs):
        return _schema(value)
    if isinstance(value, bool):
        return value
    raise ValueError("boolean or JSON schema expected")


def _schema_or_array(value: Any) -> Any:
    if isinstance(value, dict | Pairs):
        return _schema(value)
    return [_schema(item or {}) for item in value] or None if isinstance(value, list) else None


def _schema_or_strings(value: Any) -> Any:
    if isinstance(value, dict | Pairs):
        return _schema(value)
    return plain(value) if isinstance(value, list) else None


def _json(value: Any) -> Any:
    """Return a JSON value, such as a default. Raises ValueError with Go's message for a number beyond float64."""
    number = first_infinity(value)
    if number is not None:
        raise ValueError(f"json: cannot unmarshal number {number} into Go value of type float64")
    return plain(value)


def _number(value: Any) -> float:
    """Return a number of a schema as Go serializes it: integers within int64 without a decimal point.

    Raises ValueError if the value is not a number.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("a number is expected")
    if isinf(value):
        raise ValueError("a number beyond float64")
    return int(value) if abs(value) < _INT64 and value == int(value) else float(value)


def _optional(read: Any) -> PlainValidator:
    return PlainValidator(lambda value: None if value is None else read(value))


_JSON: TypeAlias = Annotated[Any, _optional(_json), ScalarOf("raw", _json), Named("v1.JSON")]
_SchemaOrBool: TypeAlias = Annotated[
    Any, _optional(_schema_or_bool), ScalarOf("raw", _schema_or_bool), Named("v1.JSONSchemaPropsOrBool")
]
_SchemaOrArray: TypeAlias = Annotated[
    Any, _optional(_schema_or_array), ScalarOf("raw", _schema_or_array), Named("v1.JSONSchemaPropsOrArray")
]
_SchemaOrStrings: TypeAlias = Annotated[
    Any, _optional(_schema_or_strings), ScalarOf("raw", _schema_or_strings), Named("v1.JSONSchemaPropsOrStringArray")
]
_Float: TypeAlias = Annotated[Any, _optional(_number), ScalarOf("float64")]
REASONS: Final = ("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")


class ReadSchema(dict[str, Any]):
    """OpenAPI schema of a custom resource, as the dict that JSON parsing returns.

    It is not converted to models, because that would create thousands of nested models on each read.
    """

    __slots__ = ()

    def to_document(self) -> Document:
        """Return the schema as a JSON document, which callers must not modify."""
        return self


def read_schema(value: Any) -> ReadSchema | None:
    """Parse an OpenAPI schema. Raises ValueError if it is invalid. Returns a `value` of type ReadSchema unchanged."""
    if value is None or isinstance(value, ReadSchema):
        return value
    return ReadSchema(JSONSchemaProps.model_validate(value).to_document())


class ExternalDocumentation(ApiModel):
    """Description and URL of external documentation of a field."""

    description: str = Field(default="", description="Short summary of the page to which the URL leads.")
    url: str = Field(default="", description="Address of a page with further documentation of the value.")


class ValidationRule(ApiModel):
    """A CEL rule (``x-kubernetes-validations``) that values of a schema must satisfy."""

    rule: Annotated[str, Required()] = Field(
        default="", description="CEL expression that must be true; self is the value that the schema describes."
    )
    message: str = Field(default="", description="Error message if the rule is false; by default, it quotes the rule.")
    messageExpression: str = Field(
        default="", description="CEL expression that returns the error message; takes precedence over message."
    )
    reason: Annotated[str | None, Named("v1.FieldValueErrorReason", REASONS)] = Field(
        default=None,
        description="Type of the error if the rule fails, such as FieldValueInvalid, which is the default.",
    )
    fieldPath: str = Field(
        default="",
        description="Path of the field that the error names, relative to the value that the schema describes.",
    )
    optionalOldSelf: bool | None = Field(
        default=None,
        description="True if the rule also runs when there is no old value; oldSelf is then a CEL optional.",
    )


class JSONSchemaProps(ApiModel):
    """An OpenAPI v3 schema with Kubernetes' extensions."""

    id: str = Field(default="", description="URI that identifies the schema; not supported, so it must be empty.")
    schema_uri: Annotated[str, Named("v1.JSONSchemaURL")] = Field(
        default="", alias="$schema", description="URI of the JSON Schema dialect; not supported, so it must be empty."
    )
    ref: str | None = Field(
        default=None, alias="$ref", description="Reference to another schema; not supported, so it must be empty."
    )
    description: str = Field(default="", description="Explanation of the value for readers, shown by kubectl explain.")
    type: str = Field(
        default="", description="JSON type of the value: object, array, string, integer, number or boolean."
    )
    format: str = Field(
        default="",
        description="Format of a string or number, such as date-time or int32; unknown formats are not checked.",
    )
    title: str = Field(default="", description="Short title of the value for readers; not used in validation.")
    default: _JSON | None = Field(default=None, description="Value that the server sets if the field is missing.")
    maximum: _Float | None = Field(default=None, description="Largest number that the value may be.")
    exclusiveMaximum: bool = Field(default=False, description="True if the value must be less than maximum.")
    minimum: _Float | None = Field(default=None, description="Smallest number that the value may be.")
    exclusiveMinimum: bool = Field(default=False, description="True if the value must be greater than minimum.")
    maxLength: Int64 | None = Field(default=None, description="Maximum length of a string in characters.")
    minLength: Int64 | None = Field(default=None, description="Minimum length of a string in characters.")
    pattern: str = Field(default="", description="Regular expression that must match some part of a string.")
    maxItems: Int64 | None = Field(default=None, description="Maximum number of items in a list.")
    minItems: Int64 | None = Field(default=None, description="Minimum number of items in a list.")
    uniqueItems: bool = Field(
        default=False, description="True if list items must differ; not supported, use x-kubernetes-list-type set."
    )
    multipleOf: _Float | None = Field(default=None, description="Number of which the value must be a multiple.")
    enum: list[_JSON] = Field(
        default_factory=list,
        description="Allowed values; an empty list allows all values.",
    )
    maxProperties: Int64 | None = Field(default=None, description="Maximum number of properties of an object.")
    minProperties: Int64 | None = Field(default=None, description="Minimum number of properties of an object.")
    required: list[str] = Field(default_factory=list, description="Names of the properties that an object must have.")
    items: _SchemaOrArray | None = Field(default=None, description="Schema of the items of a list.")
    allOf: list[JSONSchemaProps] = Field(default_factory=list, description="Schemas that the value must all match.")
    oneOf: list[JSONSchemaProps] = Field(default_factory=list, description="Schemas of which exactly one must match.")
    anyOf: list[JSONSchemaProps] = Field(default_factory=list, description="Schemas of which at least one must match.")
    not_: JSONSchemaProps | None = Field(default=None, alias="not", description="Schema that the value must not match.")
    properties: dict[str, JSONSchemaProps] = Field(
        default_factory=dict, description="Schemas of the properties of an object, by name."
    )
    additionalProperties: _SchemaOrBool | None = Field(default=None, description="Schema of the values of a map.")
    patternProperties: dict[str, JSONSchemaProps] = Field(
        default_factory=dict,
        description="Schemas of properties by regular expression; not supported, so it must be empty.",
    )
    dependencies: Annotated[dict[str, _SchemaOrStrings] | None, Named("v1.JSONSchemaDependencies")] = Field(
        default=None, description="Properties that others require; not supported, so it must be unset."
    )
    additionalItems: _SchemaOrBool | None = Field(
        default=None, description="Schema of list items beyond those in items; not supported, so it must be unset."
    )
    definitions: Annotated[dict[str, JSONSchemaProps], Named("v1.JSONSchemaDefinitions")] = Field(
        default_factory=dict, description="Schemas that references can name; not supported, so it must be empty."
    )
    externalDocs: ExternalDocumentation | None = Field(
        default=None, description="Link to a page with further documentation of the value."
    )
    example: _JSON | None = Field(default=None, description="Example of a valid value, for documentation only.")
    nullable: bool = Field(default=False, description="True if the value may be null.")
    preserves: bool | None = Field(
        default=None,
        alias="x-kubernetes-preserve-unknown-fields",
        description="True to keep fields that the schema does not specify.",
    )
    embedded: bool = Field(
        default=False,
        alias="x-kubernetes-embedded-resource",
        description="True if the value is an object with apiVersion, kind and metadata.",
    )
    int_or_string: bool = Field(
        default=False, alias="x-kubernetes-int-or-string", description="True if the value is an integer or a string."
    )
    list_map_keys: list[str] = Field(
        default_factory=list,
        alias="x-kubernetes-list-map-keys",
        description="Properties that identify the items of a list of type map.",
    )
    list_type: str | None = Field(
        default=None,
        alias="x-kubernetes-list-type",
        description="Type of a list for server-side apply: atomic (replaced whole), set or map (merged by item).",
    )
    map_type: str | None = Field(
        default=None,
        alias="x-kubernetes-map-type",
        description="Type of an object for server-side apply: granular (merged by field) or atomic (replaced whole).",
    )
    validations: Annotated[list[ValidationRule], MapList(("rule",)), Merge("rule"), Named("v1.ValidationRules")] = (
        Field(
            default_factory=list,
            alias="x-kubernetes-validations",
            description="CEL rules that the value must satisfy in addition to the schema.",
        )
    )
