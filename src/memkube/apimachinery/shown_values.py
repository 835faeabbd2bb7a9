"""How error messages show values: strings quoted as Go quotes them, everything else as JSON."""

import json
from dataclasses import dataclass
from typing import Any, Final

from memkube.apimachinery.model import ApiModel

_HTML_ESCAPES: Final = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)
_GO_ESCAPES: Final = {
    "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v", '"': '\\"', "\\": "\\\\",
}  # fmt: skip
_GO_NAMES: Final = {
    "apiVersion": "APIVersion",
    "ip": "IP",
    "seLinuxOptions": "SELinuxOptions",
    "gmsaCredentialSpecName": "GMSACredentialSpecName",
    "gmsaCredentialSpec": "GMSACredentialSpec",
    "uid": "UID",
}


@dataclass(frozen=True, slots=True)
class Unversioned:
    """A value that the reference shows in its internal form: Go's field names, and no field left out."""

    value: Any


def quoted(text: str) -> str:
    """A string between quotation marks, with the escapes of Go's ``%q``."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return f'"{"".join(map(_quoted_character, text))}"'


def shown(value: Any) -> str:
    """A value as an error message shows it."""
    if isinstance(value, str):
        return quoted(value)
    data = _internal(value.value) if isinstance(value, Unversioned) else _versioned(value)
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).translate(_HTML_ESCAPES)


def _versioned(value: Any) -> Any:
    """The JSON data of a value, in Go's order: fields as declared, keys of maps sorted."""
    if isinstance(value, ApiModel):
        written = value.to_document()
        wire_names = ((name, info.alias or name) for name, info in type(value).model_fields.items())
        return {wire_name: _versioned(getattr(value, name)) for name, wire_name in wire_names if wire_name in written}
    if isinstance(value, dict):
        return {key: _versioned(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [_versioned(item) for item in value]
    return value


def _internal(value: Any) -> Any:
    if isinstance(value, ApiModel):
        if type(value).__module__.startswith("memkube.apimachinery."):  # meta/v1 has no internal form
            return _versioned(value)
        return {_go_name(name): _internal(getattr(value, name)) for name in type(value).model_fields}
    if isinstance(value, dict):
        return {key: _internal(value[key]) for key in sorted(value)} or None
    if isinstance(value, list):
        return [_internal(item) for item in value] or None
    return value


def _go_name(name: str) -> str:
    return _GO_NAMES.get(name) or name[0].upper() + name[1:]


def _quoted_character(character: str) -> str:
    if character in _GO_ESCAPES:
        return _GO_ESCAPES[character]
    code = ord(character)
    if character.isprintable():
        return character
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
