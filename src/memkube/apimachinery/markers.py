"""Facts about a field that its Python type does not say, written as ``Annotated`` metadata.

Each fact stands once, on the field. Decoding, strategic merge, server-side apply, OpenAPI and validation
read it from :mod:`memkube.apimachinery.schema`.
"""

from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema


class _NeverLeftOut:
    """A list or a map that holds nothing is written as null, and is read back."""

    __slots__ = ()

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema = handler(source)
        empty = {"list": list, "dict": dict}.get(schema["type"])
        if empty is None:
            return schema
        return core_schema.no_info_before_validator_function(lambda value: empty() if value is None else value, schema)


@dataclass(frozen=True, slots=True)
class Required(_NeverLeftOut):
    """The OpenAPI document lists the field as required; it is written even when it holds its zero value.

    A few fields are required of clients and yet left out when they hold their zero value.
    """

    omits_zero: bool = False


@dataclass(frozen=True, slots=True)
class Always(_NeverLeftOut):
    """The field is optional to clients, yet written even when it holds its zero value."""


@dataclass(frozen=True, slots=True)
class OmitZero:
    """A struct that is left out when it holds nothing; other structs are written as ``{}``."""


@dataclass(frozen=True, slots=True)
class DescribedBy:
    """A field of JSON data that is read, and described, as another model would be."""

    model: Any


@dataclass(frozen=True, slots=True)
class Named:
    """The type's name in the reference's decoding errors (``v1.PodPhase``), with its enumerated values."""

    name: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Default:
    """The static default that the OpenAPI document shows and that completes the keys of a map list."""

    value: str | int | bool


@dataclass(frozen=True, slots=True)
class Atomic:
    """Server-side apply owns and replaces the list, map or struct as one value (KEP-555)."""


@dataclass(frozen=True, slots=True)
class Granular:
    """Server-side apply owns each value of the map or struct by its key; the OpenAPI document says so."""


@dataclass(frozen=True, slots=True)
class SetList:
    """Server-side apply owns each scalar of the list by its value (KEP-555)."""


@dataclass(frozen=True, slots=True)
class MapList:
    """Server-side apply owns each item of the list by the values of these keys (KEP-555)."""

    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Merge:
    """Strategic merge patch merges the list: by this key for objects, as a set where the key is empty."""

    key: str = ""


@dataclass(frozen=True, slots=True)
class RetainKeys:
    """Strategic merge patch may name with ``$retainKeys`` what of the object survives."""


@dataclass(frozen=True, slots=True)
class Replace:
    """Strategic merge patch replaces the struct as a whole."""
