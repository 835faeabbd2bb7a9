"""Field facts that Python types do not express, as ``Annotated`` metadata of model fields.

Decoding, strategic merge patch, server-side apply, OpenAPI and validation read them through
:mod:`memkube.apimachinery.schema`.
"""

from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema


class _NeverLeftOut:
    """An empty list or map is written as null, and null is accepted when read."""

    __slots__ = ()

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema = handler(source)
        empty = {"list": list, "dict": dict}.get(schema["type"])
        if empty is None:
            return schema
        return core_schema.no_info_before_validator_function(lambda value: empty() if value is None else value, schema)


@dataclass(frozen=True, slots=True)
class Required(_NeverLeftOut):
    """The field is required in OpenAPI, and written even if it has its zero value.

    With `omits_zero` it is omitted nevertheless if it has its zero value, as a few fields are.
    """

    omits_zero: bool = False


@dataclass(frozen=True, slots=True)
class Always(_NeverLeftOut):
    """The field is optional in OpenAPI, but written even if it has its zero value."""


@dataclass(frozen=True, slots=True)
class OmitZero:
    """An empty struct is omitted; without this marker it is written as ``{}``."""


@dataclass(frozen=True, slots=True)
class DescribedBy:
    """A field with JSON data that is decoded and described like another model."""

    model: Any


@dataclass(frozen=True, slots=True)
class Named:
    """Type name in the reference's decoding errors (``v1.PodPhase``), and its enumerated values."""

    name: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Default:
    """Static default in OpenAPI, which also completes missing keys of list items."""

    value: str | int | bool


@dataclass(frozen=True, slots=True)
class Atomic:
    """Server-side apply owns and replaces the list, map or struct as a whole (KEP-555)."""


@dataclass(frozen=True, slots=True)
class Granular:
    """Server-side apply owns each value of the map or struct separately; OpenAPI says so explicitly."""


@dataclass(frozen=True, slots=True)
class SetList:
    """Server-side apply owns each scalar of the list by its value (KEP-555)."""


@dataclass(frozen=True, slots=True)
class MapList:
    """Server-side apply owns each item of the list by the values of these keys (KEP-555)."""

    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Merge:
    """Strategic merge patch merges the list: objects by this key, scalars as a set if the key is empty."""

    key: str = ""


@dataclass(frozen=True, slots=True)
class RetainKeys:
    """Strategic merge patch accepts ``$retainKeys``, which lists the keys of the object to keep."""


@dataclass(frozen=True, slots=True)
class Replace:
    """Strategic merge patch replaces the struct as a whole."""
