"""How error messages show values: strings quoted as Go quotes them, everything else as JSON."""

from dataclasses import dataclass, field
from typing import Any, Final

from memkube.apimachinery.json_forms import NO_STRUCTS, InternalStructs, go_json, internal_form, versioned_form

_GO_ESCAPES: Final = {
    "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v", '"': '\\"', "\\": "\\\\",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Unversioned:
    """A value that the reference shows in its internal form: Go's field names, and no field left out."""

    value: Any
    structs: InternalStructs = field(default_factory=lambda: NO_STRUCTS)
    """How types look inside that differ there by more than names."""


def quoted(text: str) -> str:
    """A string between quotation marks, with the escapes of Go's ``%q``."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return f'"{"".join(map(_quoted_character, text))}"'


def shown(value: Any) -> str:
    """A value as an error message shows it."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, Unversioned):
        return go_json(None if value.value == [] else internal_form(value.value, value.structs))
    return go_json(versioned_form(value))


def _quoted_character(character: str) -> str:
    if character in _GO_ESCAPES:
        return _GO_ESCAPES[character]
    code = ord(character)
    if character.isprintable():
        return character
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
