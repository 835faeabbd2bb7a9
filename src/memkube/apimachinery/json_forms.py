"""Values as JSON data in the order of Go: in the form of their version, or as the reference holds them inside."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from memkube.apimachinery.model import ApiModel

_HTML_ESCAPES: Final = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)
_INITIALISM: Final = re.compile(
    "(api|aws|csi|dns|fc|fs|gce|gid|gmsa|grpc|http|ip|iqn|iscsi|nfs|os|pd|qos|rbd|se|ssl|tcp|tty|uid)(?![a-z])"
)
_GO_NAMES: Final = {
    "cephfs": "CephFS",
    "chapAuthDiscovery": "DiscoveryCHAPAuth",
    "chapAuthSession": "SessionCHAPAuth",
    "diskURI": "DataDiskURI",
    "pdID": "PdID",
    "storageos": "StorageOS",
    "wwids": "WWIDs",
}


@dataclass(frozen=True, slots=True)
class InternalStruct:
    """The fields of a struct of the reference under their Go names; values still in their versioned types."""

    fields: tuple[tuple[str, Any], ...]


InternalStructs: TypeAlias = Mapping[type[ApiModel], Callable[[Any], InternalStruct]]
"""How types look inside whose structs differ there from those of their version by more than the names' case."""

NO_STRUCTS: Final[InternalStructs] = MappingProxyType({})


def go_json(data: Any, indent: int | None = None) -> str:
    """JSON as Go writes it, markup escaped; on one line unless there is an indent."""
    separators = (",", ":") if indent is None else None
    return json.dumps(data, ensure_ascii=False, indent=indent, separators=separators).translate(_HTML_ESCAPES)


def versioned_form(value: Any) -> Any:
    """A value as clients see it: fields as declared, keys of maps sorted."""
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
    return value


def internal_form(value: Any, structs: InternalStructs = NO_STRUCTS) -> Any:
    """A value as the reference shows what it holds inside: Go's field names, no field left out, nil as null."""
    if isinstance(value, InternalStruct):
        return {name: internal_form(item, structs) for name, item in value.fields}
    if isinstance(value, ApiModel):
        if type(value).__module__.startswith("memkube.apimachinery."):  # meta/v1 has no internal form
            return versioned_form(value)
        if type(value) in structs:
            return internal_form(structs[type(value)](value), structs)
        return internal_form(internal_struct(value), structs)
    if isinstance(value, dict):
        return {key: internal_form(value[key], structs) for key in sorted(value)}
    if isinstance(value, list):
        return [internal_form(item, structs) for item in value]
    return value


def internal_struct(value: ApiModel, names: Mapping[str, str] = MappingProxyType({})) -> InternalStruct:
    """The fields of a struct as declared; `names` are those that do not follow from the names on the wire."""
    fields = (
        (names.get(name) or _go_name(info.alias or name), given(value, name))
        for name, info in type(value).model_fields.items()
    )
    return InternalStruct(tuple(fields))


def given(value: ApiModel, name: str) -> Any:
    """A field's value as a message shows it: an empty list or map that nobody wrote is nil."""
    item = getattr(value, name)
    return None if isinstance(item, list | dict) and not item and name not in value.model_fields_set else item


def _go_name(name: str) -> str:
    if name in _GO_NAMES:
        return _GO_NAMES[name]
    initialism = _INITIALISM.match(name)
    return initialism[0].upper() + name[initialism.end() :] if initialism else name[0].upper() + name[1:]
