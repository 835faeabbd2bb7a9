"""JSONSchemaProps: the OpenAPI schemas that definitions carry (apiextensions ``types_jsonschema.go``, ``marshal.go``).

Some of their fields hold one of several things and decode themselves, without a look at fields that they do not know.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, TypeAlias

from pydantic import Field, PlainValidator, ValidationError

from memkube.apimachinery.decoding import DecodeError, decode_document
from memkube.apimachinery.markers import MapList, Merge, Named, Required
from memkube.apimachinery.model import ApiModel, Document
from memkube.apimachinery.scalars import Int64
from memkube.apimachinery.schema import ScalarOf, struct_of

_LARGEST_PLAIN: Final = 1e21


def _schema(value: Document) -> Document:
    """A schema as it is written again. Raises ValueError in the words of the reference."""
    try:
        return JSONSchemaProps.model_validate(value).to_document()
    except ValidationError:
        try:
            fitted, _ = decode_document(struct_of(JSONSchemaProps), value)
        except DecodeError as error:
            raise ValueError(error.message) from error
        return JSONSchemaProps.model_validate(fitted).to_document()


def _schema_or_bool(value: Any) -> Any:
    if isinstance(value, dict):
        return _schema(value)
    if isinstance(value, bool):
        return value
    raise ValueError("boolean or JSON schema expected")


def _schema_or_array(value: Any) -> Any:
    if isinstance(value, dict):
        return _schema(value)
    return [_schema(item or {}) for item in value] or None if isinstance(value, list) else None


def _schema_or_strings(value: Any) -> Any:
    return _schema(value) if isinstance(value, dict) else value if isinstance(value, list) else None


def _number(value: Any) -> float:
    """A number as Go writes it, whole ones without a point. Raises ValueError."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("a number is expected")
    return int(value) if value == int(value) and abs(value) < _LARGEST_PLAIN else value


def _optional(read: Any) -> PlainValidator:
    return PlainValidator(lambda value: None if value is None else read(value))


_JSON: TypeAlias = Annotated[Any, ScalarOf("raw"), Named("v1.JSON")]
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
    """A schema as it is written again: thousands of structs that are not made anew with every reading."""

    __slots__ = ()

    def to_document(self) -> Document:
        """The schema itself; it is shared."""
        return self


def read_schema(value: Any) -> ReadSchema | None:
    """A schema that is read once, however often a definition is made of a document. Raises ValueError."""
    if value is None or isinstance(value, ReadSchema):
        return value
    return ReadSchema(JSONSchemaProps.model_validate(value).to_document())


class ExternalDocumentation(ApiModel):
    """Where more is written."""

    description: str = Field(default="", description="What is written there.")
    url: str = Field(default="", description="Where it is.")


class ValidationRule(ApiModel):
    """An expression in CEL that must hold."""

    rule: Annotated[str, Required()] = Field(default="", description="The expression; self is the value.")
    message: str = Field(default="", description="What is said where the rule is broken.")
    messageExpression: str = Field(default="", description="An expression that makes the message.")
    reason: Annotated[str | None, Named("v1.FieldValueErrorReason", REASONS)] = Field(
        default=None, description="The class of the error."
    )
    fieldPath: str = Field(default="", description="The field that the error is said to be about.")
    optionalOldSelf: bool | None = Field(default=None, description="Whether oldSelf is there for new values too.")


class JSONSchemaProps(ApiModel):
    """An OpenAPI v3 schema with Kubernetes' extensions."""

    id: str = Field(default="", description="Not supported.")
    schema_uri: Annotated[str, Named("v1.JSONSchemaURL")] = Field(
        default="", alias="$schema", description="Not supported."
    )
    ref: str | None = Field(default=None, alias="$ref", description="Not supported.")
    description: str = Field(default="", description="What the value means.")
    type: str = Field(default="", description="Type of the value.")
    format: str = Field(default="", description="Form of a string, or size of a number.")
    title: str = Field(default="", description="A short description.")
    default: _JSON | None = Field(default=None, description="The value where none is given.")
    maximum: _Float | None = Field(default=None, description="The largest number.")
    exclusiveMaximum: bool = Field(default=False, description="Whether the maximum is too large.")
    minimum: _Float | None = Field(default=None, description="The smallest number.")
    exclusiveMinimum: bool = Field(default=False, description="Whether the minimum is too small.")
    maxLength: Int64 | None = Field(default=None, description="The most characters.")
    minLength: Int64 | None = Field(default=None, description="The fewest characters.")
    pattern: str = Field(default="", description="A regular expression that the string must contain a match of.")
    maxItems: Int64 | None = Field(default=None, description="The most items.")
    minItems: Int64 | None = Field(default=None, description="The fewest items.")
    uniqueItems: bool = Field(default=False, description="Not supported.")
    multipleOf: _Float | None = Field(default=None, description="What the number is a multiple of.")
    enum: list[_JSON] = Field(default_factory=list, description="The values that there are.")
    maxProperties: Int64 | None = Field(default=None, description="The most fields.")
    minProperties: Int64 | None = Field(default=None, description="The fewest fields.")
    required: list[str] = Field(default_factory=list, description="Fields that must be there.")
    items: _SchemaOrArray | None = Field(default=None, description="Schema of the items of a list.")
    allOf: list[JSONSchemaProps] = Field(default_factory=list, description="Schemas that must all hold.")
    oneOf: list[JSONSchemaProps] = Field(default_factory=list, description="Schemas of which exactly one must hold.")
    anyOf: list[JSONSchemaProps] = Field(default_factory=list, description="Schemas of which one must hold.")
    not_: JSONSchemaProps | None = Field(default=None, alias="not", description="A schema that must not hold.")
    properties: dict[str, JSONSchemaProps] = Field(default_factory=dict, description="Schemas of the fields.")
    additionalProperties: _SchemaOrBool | None = Field(default=None, description="Schema of the values of a map.")
    patternProperties: dict[str, JSONSchemaProps] = Field(default_factory=dict, description="Not supported.")
    dependencies: Annotated[dict[str, _SchemaOrStrings], Named("v1.JSONSchemaDependencies")] = Field(
        default_factory=dict, description="Not supported."
    )
    additionalItems: _SchemaOrBool | None = Field(default=None, description="Not supported.")
    definitions: Annotated[dict[str, JSONSchemaProps], Named("v1.JSONSchemaDefinitions")] = Field(
        default_factory=dict, description="Not supported."
    )
    externalDocs: ExternalDocumentation | None = Field(default=None, description="Where more is written.")
    example: _JSON | None = Field(default=None, description="A value that fits.")
    nullable: bool = Field(default=False, description="Whether the value may be null.")
    preserves: bool | None = Field(
        default=None,
        alias="x-kubernetes-preserve-unknown-fields",
        description="Whether fields stay that the schema does not know.",
    )
    embedded: bool = Field(
        default=False,
        alias="x-kubernetes-embedded-resource",
        description="Whether the value is an object with apiVersion, kind and metadata.",
    )
    int_or_string: bool = Field(
        default=False, alias="x-kubernetes-int-or-string", description="Whether the value is an integer or a string."
    )
    list_map_keys: list[str] = Field(
        default_factory=list,
        alias="x-kubernetes-list-map-keys",
        description="Fields that tell the items of a list apart.",
    )
    list_type: str | None = Field(
        default=None, alias="x-kubernetes-list-type", description="How a list is merged: atomic, set or map."
    )
    map_type: str | None = Field(
        default=None, alias="x-kubernetes-map-type", description="How an object is merged: granular or atomic."
    )
    validations: Annotated[list[ValidationRule], MapList(("rule",)), Merge("rule"), Named("v1.ValidationRules")] = (
        Field(default_factory=list, alias="x-kubernetes-validations", description="Expressions that must hold.")
    )
