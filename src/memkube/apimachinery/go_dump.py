"""Objects as Go's ``k8s.io/utils/dump.ForHash`` prints them: what the reference digests to tell objects apart.

Every field is there with the name of its type, whether it holds anything or not.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from memkube.apimachinery.model import Document


class GoField(NamedTuple):
    """A field of a struct; one without a JSON name is embedded, its fields being those of the object around it."""

    name: str
    json: str
    type: str


GoLayouts: TypeAlias = Mapping[str, Sequence[GoField]]
"""Structs by name, their fields in the order of their declaration."""

_NIL: Final = "<nil>"
_BASIC: Final = frozenset({"bool", "string", "int32", "int64"})
_MAPS: Final = {"ResourceList": "resource.Quantity", "map[string]string": "string"}
_ZERO_TIME: Final = "{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}"
_field = re.compile(r"(\w+)(\(\w*\))? (\S+)").fullmatch
_initials = re.compile(r"([A-Z]+(?![a-z])|[A-Z])")
_quantity = re.compile(r"([+-]?)([0-9]*)\.?([0-9]*)([A-Za-z]*[+-]?[0-9]*)").fullmatch
_DECIMAL: Final = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}


def read_layouts(text: str) -> GoLayouts:
    """Layouts written as ``Struct: Name type, Name(json) type``; a JSON name that follows from the name is left out."""
    layouts: dict[str, tuple[GoField, ...]] = {}
    for line in text.strip().replace("\n  ", " ").splitlines():
        struct, _, fields = line.partition(": ")
        layouts[struct] = tuple(map(_read_field, fields.split(", ")))
    return layouts


def dumped(struct: str, document: Document, layouts: GoLayouts) -> str:
    """The print of an object, given as JSON. Times are taken for zero."""
    return _typed(struct, document, layouts)


def _read_field(text: str) -> GoField:
    found = _field(text)
    assert found is not None, text
    name, json, go_type = found.groups()
    derived = _initials.sub(lambda match: match[0].lower(), name, count=1)
    return GoField(name, derived if json is None else json[1:-1], go_type)


def _typed(go_type: str, value: Any, layouts: GoLayouts) -> str:
    printed = f"({_type_name(go_type)})"
    if go_type.startswith("*"):
        return printed + (_NIL if value is None else _value(go_type[1:], value, layouts))
    return printed + _value(go_type, value, layouts)


def _type_name(go_type: str) -> str:
    """The type with its package, which is v1 unless it is said."""
    for prefix in ("*", "[]"):
        if go_type.startswith(prefix):
            return prefix + _type_name(go_type[len(prefix) :])
    plain = go_type in _BASIC or "." in go_type or go_type.startswith("map[")
    return go_type if plain else f"v1.{go_type}"


def _value(go_type: str, value: Any, layouts: GoLayouts) -> str:
    if go_type.startswith("[]"):
        return f"[{' '.join(_value(go_type[2:], item, layouts) for item in value)}]" if value else _NIL
    if go_type in _MAPS:
        entries = (f"{key}:{_value(_MAPS[go_type], item, layouts)}" for key, item in sorted((value or {}).items()))
        return f"map[{' '.join(entries)}]" if value else _NIL
    if go_type in layouts:
        return _struct(go_type, value or {}, layouts)
    match go_type:
        case "bool":
            return "true" if value else "false"
        case "int32" | "int64":
            return str(value or 0)
        case "Time":
            return _ZERO_TIME
        case "intstr.IntOrString":
            kind, number, text = (1, 0, value) if isinstance(value, str) else (0, value or 0, "")
            return f"{{Type:(intstr.Type){kind} IntVal:(int32){number} StrVal:(string){text}}}"
        case "resource.Quantity":
            return _quantity_value(value)
        case _:
            return value or ""


def _struct(struct: str, document: Document, layouts: GoLayouts) -> str:
    fields = (
        f"{field.name}:{_typed(field.type, document.get(field.json) if field.json else document, layouts)}"
        for field in layouts[struct]
    )
    return f"{{{' '.join(fields)}}}"


def _quantity_value(written: Any) -> str:
    """A quantity as it is parsed: an integer and its exponent of ten, and the text where that is the canonical one."""
    text = "" if written is None else str(written)
    value, scale, kept, form = 0, 0, text, "DecimalSI" if text else ""
    found = _quantity(text)
    if found is not None and text not in ("", "0"):
        sign, whole, fraction, suffix = found.groups()
        digits = whole + fraction
        number = int(digits or "0")
        if suffix in _BINARY:
            exponent, form = _BINARY[suffix], "BinarySI"
            value, canonical = number << exponent, bool(number & 7)
        else:
            exponent, form = (_DECIMAL[suffix], form) if suffix in _DECIMAL else (int(suffix[1:]), "DecimalExponent")
            scale = exponent - len(fraction)
            value, canonical = number, scale % 3 == 0 and not digits.endswith("000") and digits[0] != "0"
        value, kept = (-value if sign == "-" else value), text if canonical else ""
    return (
        f"{{i:(resource.int64Amount){{value:(int64){value} scale:(resource.Scale){scale}}} "
        f"d:(resource.infDecAmount){{Dec:(*inf.Dec)<nil>}} s:(string){kept} Format:(resource.Format){form}}}"
    )
