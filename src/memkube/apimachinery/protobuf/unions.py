"""Structs that are one of several things in JSON, and in protobuf a message with a field for each.

Source: the ``MarshalJSON`` and ``UnmarshalJSON`` methods of apiextensions' ``pkg/apis/apiextensions/v1/marshal.go``.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from memkube.apimachinery.field_facts import FieldFacts, GoPackage
from memkube.apimachinery.model import Document


class Union(NamedTuple):
    """How the JSON of a struct and its fields, by their Go names, are made from each other."""

    fields: Callable[[Any], Document]
    json: Callable[[Document], Any]


def _schema_or(member: str) -> Union:
    """A schema, or a list of what the member holds."""
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
    """What a field of a struct is called in the data that messages are made from; "" for an embedded struct.

    Raises LookupError for a struct whose JSON is made in a way that is not known here.
    """
    if facts.name != "-":
        return facts.name
    if struct in UNIONS:
        return facts.go_name
    raise LookupError(f"the JSON of {package.path} {facts.go_name} is not made from its fields")
