"""Markers for facts about fields that Python types do not express, used as ``Annotated`` metadata of model fields.

Decoding, strategic merge patch, server-side apply, OpenAPI and validation read these markers through
:mod:`memkube.apimachinery.schema`. Markers are not NamedTuples: ``Annotated`` caches types by their metadata, and equal
tuples of two marker classes would be mixed up.
"""

from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema


class _NeverLeftOut:
    """Base class of the markers for fields that are always written.

    An empty list or map with such a marker is written as null, and null is accepted when it is read.
    """

    __slots__ = ()

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema = handler(source)
        empty = {"list": list, "dict": dict}.get(schema["type"])
        if empty is None:
            return schema
        return core_schema.no_info_before_validator_function(lambda value: empty() if value is None else value, schema)


@dataclass(frozen=True, slots=True)
class Required(_NeverLeftOut):
    """Marks a field that is required in OpenAPI.

    The field is written even if it has its zero value, unless `omits_zero` is true.
    """

    omits_zero: bool = False


class Always(_NeverLeftOut):
    """Marks a field that is optional in OpenAPI, but written even if it has its zero value."""

    __slots__ = ()


class OmitZero:
    """Marks a struct field that is omitted if it is empty; without this marker an empty struct is written as ``{}``."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class DescribedBy:
    """Marks a field of raw JSON data whose schema is that of the model `model`."""

    model: Any


@dataclass(frozen=True, slots=True)
class Named:
    """Names the Go type of a field, such as ``v1.PodPhase``, for decoding errors, and lists its allowed values."""

    name: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Default:
    """Default value that OpenAPI declares for the field. Server-side apply uses it for a missing key of a list item."""

    value: str | int | bool


@dataclass(frozen=True, slots=True)
class OneOf:
    """Marks a struct in which at most one of the fields `members` may be set. Its class variable ``union`` is a OneOf.

    `discriminator` is the field whose value names the member that is set; "" if there is no such field. In OpenAPI, the
    struct gets the extension ``x-kubernetes-unions``, which lists these fields.
    """

    discriminator: str
    members: tuple[str, ...]


class Atomic:
    """Marks a list, map or struct that server-side apply owns and replaces as a whole (KEP-555)."""

    __slots__ = ()


class Granular:
    """Marks a map or struct in which server-side apply assigns each value to managers separately.

    OpenAPI declares it as granular.
    """

    __slots__ = ()


class SetList:
    """Marks a list of scalars in which server-side apply owns each scalar by its value (KEP-555)."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class MapList:
    """Marks a list of objects in which server-side apply identifies each item by its fields `keys` (KEP-555)."""

    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Merge:
    """Marks a list that strategic merge patch merges: objects by their field `key`, or scalars, if `key` is empty."""

    key: str = ""


class RetainKeys:
    """Marks a struct for which strategic merge patch accepts ``$retainKeys``, the list of fields to keep."""

    __slots__ = ()


class Replace:
    """Marks a struct that strategic merge patch replaces as a whole."""

    __slots__ = ()
