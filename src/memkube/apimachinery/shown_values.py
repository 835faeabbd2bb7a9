"""Formatting of values in messages: strings quoted as in Go, other values as JSON in Go's field order.

This JSON has the field names of the API version, or the field names of Kubernetes' internal Go type. A message contains
one value as a whole, or the differences of two values.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import unified_diff
from itertools import islice
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from memkube.apimachinery.field_facts import GoPackage, go_package
from memkube.apimachinery.go_doubles import format_double
from memkube.apimachinery.go_strings import go_bytes, is_valid_utf8
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.schema import struct_of

HTML_ESCAPES: Final = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)
_HEADER_LINES: Final = 2
_WRITTEN_WITH_EXPONENT: Final = 1e21
"""Go writes float64 numbers of at least this size with an exponent in JSON."""
_GO_ESCAPES: Final = {
    "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v", '"': '\\"', "\\": "\\\\",
}  # fmt: skip


class InternalStruct(NamedTuple):
    """Field values of an internal (unversioned) Kubernetes struct, by Go field name.

    The values themselves are objects of the versioned API types.
    """

    fields: tuple[tuple[str, Any], ...]


InternalStructs: TypeAlias = Mapping[type[ApiModel], Callable[[Any], InternalStruct]]
"""Functions that convert an object to its internal Go struct, by model class.

Only the model classes whose internal struct has other fields need such a function.
"""

NO_STRUCTS: Final[InternalStructs] = MappingProxyType({})


def go_json(data: Any, indent: int | None = None) -> str:
    """Format JSON data as Go's ``encoding/json`` does, with HTML escapes; on one line if `indent` is None."""
    separators = (",", ":") if indent is None else None
    return json.dumps(data, ensure_ascii=False, indent=indent, separators=separators).translate(HTML_ESCAPES)


def versioned_form(value: Any) -> Any:
    """Convert a value to JSON data as in its API version, with sorted map keys."""
    if isinstance(value, ApiModel):
        written = value.to_document()
        wire_names = ((name, info.alias or name) for name, info in type(value).model_fields.items())
        return {
            wire_name: versioned_form(getattr(value, name)) for name, wire_name in wire_names if wire_name in written
        }
    if isinstance(value, dict):
        return {key: versioned_form(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [versioned_form(item) for item in value]
    return _whole_number(value)


def _whole_number(value: Any) -> Any:
    """Return a whole float that Go writes without an exponent as an integer, and other values unchanged."""
    is_plain = isinstance(value, float) and abs(value) < _WRITTEN_WITH_EXPONENT and value.is_integer()
    return int(value) if is_plain else value


def internal_form(value: Any, structs: InternalStructs = NO_STRUCTS) -> Any:
    """Return JSON data for the internal (unversioned) Kubernetes form of a value.

    The data has Go field names, and contains all fields, with null for nil. `structs` is for types whose internal
    struct has other fields than the served version: it maps such a model class to the function that converts its
    objects.
    """
    if isinstance(value, InternalStruct):
        return {name: internal_form(item, structs) for name, item in value.fields}
    if isinstance(value, ApiModel):
        if not _has_internal_type(value):
            return versioned_form(value)
        make = structs.get(type(value))
        return internal_form(internal_struct(value) if make is None else make(value), structs)
    if isinstance(value, dict):
        return {key: internal_form(value[key], structs) for key in sorted(value)}
    if isinstance(value, list):
        return [internal_form(item, structs) for item in value]
    return _whole_number(value)


def internal_struct(value: ApiModel, elsewhere: Mapping[str, Any] = MappingProxyType({})) -> InternalStruct:
    """Convert an API object to a struct of kube-apiserver's internal (unversioned) version.

    The internal struct may have fields that the object's class lacks: `elsewhere` has the values of these fields, by Go
    field name.
    """
    struct = struct_of(type(value))
    fields = _internal_fields(value, go_package(struct.package), struct.name, elsewhere)
    return InternalStruct(tuple(fields))


def _has_internal_type(value: ApiModel) -> bool:
    package = struct_of(type(value)).package
    return package != "" and go_package(package).has_internal_types


def _internal_fields(
    value: ApiModel, package: GoPackage, struct: str, elsewhere: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    """Yield Go names and values of the fields of an internal struct, including those of structs that it embeds.

    `struct` is the name of the struct in the Go package `package`. `elsewhere` has the values of the fields that the
    class of `value` lacks, by Go field name.
    """
    declared = {facts.go_name: facts for facts in package.fields(struct)}
    for name, embedded in package.internal_fields(struct):
        if name in elsewhere:
            yield name, elsewhere[name]
        elif not embedded:
            yield name, given(value, _attribute(value, declared[name].name))
        elif declared[name].name:
            part = getattr(value, _attribute(value, declared[name].name))
            yield from ((inner, getattr(part, inner)) for inner in part.to_document())
        elif name != "TypeMeta":
            # TypeMeta is left out: it is empty in internal objects, and JSON omits its fields then.
            path, inner = package.resolve(declared[name].go_type)
            yield from _internal_fields(value, go_package(path), inner, elsewhere)


def _attribute(value: ApiModel, wire_name: str) -> str:
    """Return the Python attribute of the field with the JSON name `wire_name`.

    The two names differ only if the JSON name is a reserved word of Python.
    """
    if wire_name in type(value).model_fields:
        return wire_name
    return next(name for name, info in type(value).model_fields.items() if info.alias == wire_name)


def given(value: ApiModel, name: str) -> Any:
    """Return the value of the attribute `name`, or None if it is an empty list or map that was never set.

    Error messages print such a list or map as null.
    """
    item = getattr(value, name)
    return None if isinstance(item, list | dict) and not item and name not in value.model_fields_set else item


def line_diff(before: str, after: str) -> str:
    """Return a unified diff of two texts, without its header and with three lines of context.

    The diff is "" if the texts are equal.
    """
    hunks = unified_diff(before.split("\n"), after.split("\n"), lineterm="")
    return "".join(f"{line}\n" for line in islice(hunks, _HEADER_LINES, None))


@dataclass(frozen=True, slots=True)
class InternalValue:
    """A value that error messages print in Kubernetes' internal form: with Go field names and all fields."""

    value: Any
    """The value to print. An empty Python list is printed as ``null`` (not set), an empty tuple as ``[]``."""
    structs: InternalStructs = field(default_factory=lambda: NO_STRUCTS)
    """Functions that convert an object to its internal Go struct, for classes whose internal struct differs."""


def one_line(text: str) -> str:
    """Escape line breaks and control characters, so that a client's text takes one line in logs and on terminals."""
    return text if text.isprintable() else "".join(map(_printable, text))


def _printable(character: str) -> str:
    return character if character.isprintable() else repr(character)[1:-1]


def quoted(text: str) -> str:
    """Quote a string as Go's ``%q`` does."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return f'"{"".join(map(_quoted_character, text))}"'


def quoted_as_time(text: str) -> str:
    """Quote a string as in errors of Go's package ``time``, with non-ASCII characters as escaped bytes."""
    return f'"{"".join(map(_quoted_in_time, text))}"'


def _quoted_in_time(character: str) -> str:
    if " " <= character <= "\x7f":
        return f"\\{character}" if character in '"\\' else character
    return "".join(f"\\x{byte:02x}" for byte in go_bytes(character))


class TypedString(str):
    """A string whose Go type is not ``string``, such as an enumeration or IntOrString.

    Error messages show it as JSON, in which ``<``, ``>`` and ``&`` are escaped.
    """

    __slots__ = ()


def shown(value: Any) -> str:
    """Format an invalid value for an error message: a plain string quoted as in Go, other values as JSON."""
    if isinstance(value, TypedString):
        return go_json(value)
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, float):
        return format_double(value)
    if isinstance(value, InternalValue):
        return go_json(None if value.value == [] else internal_form(value.value, value.structs))
    return go_json(versioned_form(value))


def _quoted_character(character: str) -> str:
    if character in _GO_ESCAPES:
        return _GO_ESCAPES[character]
    code = ord(character)
    if character.isprintable():
        return character
    if not is_valid_utf8(character):
        return f"\\x{go_bytes(character)[0]:02x}"
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
