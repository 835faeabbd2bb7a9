"""Structs whose JSON value can have several types, such as a schema or a list of schemas.

Their protobuf message has a field for each of these types. Source: the ``MarshalJSON`` and ``UnmarshalJSON`` methods in
apiextensions' ``pkg/apis/apiextensions/v1/marshal.go``.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from memkube.apimachinery.field_facts import FieldFacts, GoPackage
from memkube.apimachinery.model import Document


class Union(NamedTuple):
    """Conversion of a struct between its JSON value and its protobuf fields.

    `fields` converts the JSON value to a map of field values by Go field name, and `json` converts the map back.
    """

    fields: Callable[[Any], Document]
    json: Callable[[Document], Any]


def _schema_or(member: str) -> Union:
    """Return the conversion of a struct whose JSON value is either an OpenAPI schema or a list.

    The Go struct has the list in the field `member`, and the schema in the field ``Schema``.
    """
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
    """Return the key of a field in the JSON data of a struct; "" for an embedded struct, whose fields are inlined.

    `struct` is the name of the struct in the Go package, and `facts` describes the field. Raises LookupError if the
    struct has a custom JSON form that this module does not support.
    """
    if facts.name != "-":
        return facts.name
    if struct in UNIONS:
        return facts.go_name
    raise LookupError(f"field {facts.go_name} of {package.path}.{struct} has a JSON form that is not supported")
