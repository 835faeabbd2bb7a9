"""Structs whose JSON form is one of several types, and whose protobuf message has a field for each of these types.

Source: the ``MarshalJSON`` and ``UnmarshalJSON`` methods in apiextensions' ``pkg/apis/apiextensions/v1/marshal.go``.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from memkube.apimachinery.field_facts import FieldFacts, GoPackage
from memkube.apimachinery.model import Document


class Union(NamedTuple):
    """Conversion between the JSON form of a Go struct and a map of the values of its fields by Go name."""

    fields: Callable[[Any], Document]
    json: Callable[[Document], Any]


def _schema_or(member: str) -> Union:
    """Return the conversion for a struct that is a schema or a list in JSON. A list is stored in the field `member`."""
    return Union(
        lambda value: {member: value} if isinstance(value, list) else {"Schema": value},
        lambda fields: fields.get(member) or fields.get("Schema"),
    )


UNIONS: Final[Mapping[str, Union]] = {
    "JSONSchemaPropsOrArray": _schema_or("JSONSchemas"),
    "JSONSchemaPropsOrBool": Union(
        lambda value: {"Allows": value} if isinstance(value, bool) else {"Allows": True, "Schema": value},
        lambda fields: fields.get("Schema", fields.get("Allows", False)),
    ),
    "JSONSchemaPropsOrStringArray": _schema_or("Property"),
}


def member_name(package: GoPackage, struct: str, facts: FieldFacts) -> str:
    """Return the JSON name under which messages read and write a struct's field; "" for an embedded struct.

    Raises LookupError for a struct with a custom JSON form that this module does not support.
    """
    if facts.name != "-":
        return facts.name
    if struct in UNIONS:
        return facts.go_name
    raise LookupError(f"unknown JSON form of {package.path} field {facts.go_name}")
