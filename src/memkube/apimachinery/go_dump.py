"""Formatting of objects as by Go's ``k8s.io/utils/dump.ForHash``. Kubernetes computes hashes from this text.

All fields are printed with their type names, including empty fields.
"""

import re
from typing import Any, Final

from memkube.apimachinery.field_facts import GoPackage, go_package
from memkube.apimachinery.model import Document

_NIL: Final = "<nil>"
_ZERO_TIME: Final = "{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}"
_map = re.compile(r"map\[(.*?)\](.*)").fullmatch
_quantity = re.compile(r"([+-]?)([0-9]*)\.?([0-9]*)([A-Za-z]*[+-]?[0-9]*)").fullmatch
_DECIMAL: Final = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}


def dump_for_hash(package: GoPackage, struct: str, document: Document) -> str:
    """Format a struct as Go's ``dump.ForHash`` does. Times are printed as zero.

    `package` is the Go package that declares the type, `struct` the name of the type, such as ``PodTemplateSpec``, and
    `document` the JSON data of the value.
    """
    return _typed(package, struct, document)


def _typed(package: GoPackage, go_type: str, value: Any) -> str:
    printed = f"({_type_name(package, go_type)})"
    if go_type.startswith("*"):
        return printed + (_NIL if value is None else _value(package, go_type[1:], value))
    return printed + _value(package, go_type, value)


def _type_name(package: GoPackage, go_type: str) -> str:
    """Return the Go type `go_type`, as written in `package`, with qualified names, such as ``[]v1.Pod``."""
    for prefix in ("*", "[]"):
        if go_type.startswith(prefix):
            return prefix + _type_name(package, go_type.removeprefix(prefix))
    entry = _map(go_type)
    if entry is not None:
        return f"map[{_type_name(package, entry[1])}]{_type_name(package, entry[2])}"
    path, name = package.resolve(go_type)
    return f"{path.rpartition('/')[2]}.{name}" if path else name


def _value(package: GoPackage, go_type: str, value: Any) -> str:
    if go_type.startswith("[]"):
        return f"[{' '.join(_value(package, go_type[2:], item) for item in value)}]" if value else _NIL
    entry = _map(go_type)
    if entry is not None:
        entries = (f"{key}:{_value(package, entry[2], item)}" for key, item in sorted((value or {}).items()))
        return f"map[{' '.join(entries)}]" if value else _NIL
    match go_type:
        case "bool":
            return "true" if value else "false"
        case "int32" | "int64":
            return str(value or 0)
        case "string":
            return value or ""
        case _:
            return _declared_value(package, go_type, value)


def _declared_value(package: GoPackage, go_type: str, value: Any) -> str:
    path, name = package.resolve(go_type)
    match name:
        case "Time":
            return _ZERO_TIME
        case "Quantity":
            return _quantity_value(value)
        case "IntOrString":
            kind, number, text = (1, 0, value) if isinstance(value, str) else (0, value or 0, "")
            return f"{{Type:(intstr.Type){kind} IntVal:(int32){number} StrVal:(string){text}}}"
    declaring = package if path == package.path else go_package(path)
    if name in declaring.types:
        return _value(declaring, declaring.types[name], value)
    return _struct(declaring, name, value or {})


def _struct(package: GoPackage, struct: str, document: Document) -> str:
    fields = (
        f"{facts.go_name}:{_typed(package, facts.go_type, document.get(facts.name) if facts.name else document)}"
        for facts in package.fields(struct)
    )
    return f"{{{' '.join(fields)}}}"


def _quantity_value(written: Any) -> str:
    """Format the fields of the Go struct Quantity for a quantity in JSON, such as ``500m``; None is the zero quantity.

    As in Go, the field with the quantity's text is empty unless the text is in canonical form.
    """
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
