"""Validation of values against schemas, with the order and messages of kube-openapi's ``validation/validate``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import orjson

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    invalid,
    invalid_type,
    not_supported_string,
    required,
    too_long,
    too_many,
)
from memkube.apimachinery.go_regexp import compile_pattern
from memkube.apimachinery.model import Document
from memkube.apimachinery.patches.errors import go_text
from memkube.apimachinery.shown_values import quoted
from memkube.apimachinery.structural.correlation import Correlation, same
from memkube.apimachinery.structural.formats import has_format, is_known
from memkube.apimachinery.structural.keywords import INT_OR_STRING, schema_of_items, schema_of_values
from memkube.apimachinery.structural.numbers import is_json_integer, number_faults, with_whole_numbers
from memkube.apimachinery.structural.results import Result, ValuePath, add_fault

_FORMATS: Final = {"integer": "int64", "number": "float64"}
_SIZES: Final = {"integer": ("int32", "int64"), "number": ("float", "double")}


def validate_value(
    node: Document,
    value: Any,
    base: FieldPath | None = None,
    correlation: Correlation | None = None,
    *,
    is_default: bool = False,
) -> list[FieldError]:
    """Validate a value against the schema `node`.

    `base` is the field path of the value; None for a whole object. If `correlation` pairs the value with its old
    value, errors in unchanged parts are dropped (ratcheting). `is_default` is true for default values: see
    `ValuePath.is_default`.
    """
    return list(_check_part(node, value, ValuePath(base, is_default=is_default), correlation).faults.values())


def _types_of(node: Document, *, is_default: bool) -> list[str]:
    """Return the JSON types that the schema `node` allows; empty if it allows any type."""
    if node.get(INT_OR_STRING) and not is_default:
        return ["integer", "string"]
    return [node["type"]] if node.get("type") else []


def _check_part(node: Document, value: Any, position: ValuePath, correlation: Correlation | None) -> Result:
    result = _check(node, value, position, correlation)
    if result.faults and correlation is not None and correlation.unchanged:
        result.faults = {}
    return result


def _check(node: Document, value: Any, position: ValuePath, correlation: Correlation | None) -> Result:
    types, result = _types_of(node, is_default=position.is_default), Result()
    form = node.get("format", "")
    if form and not position.is_default and not is_known(form, types[0] if len(types) == 1 else ""):
        form = ""
    if types or form or value is None:
        _check_type(node, types, form, value, position, result)
        result.matches += value is not None
    if value is None:
        _check_enum(node, value, position, result)
        return result
    _check_junctors(node, value, position, correlation, result)
    if isinstance(value, str):
        _check_string(node, form, value, position, result)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        _check_number(node, types, form, value, position, result)
    elif isinstance(value, list):
        _check_list(node, value, position, correlation, result)
    _check_enum(node, value, position, result)
    if isinstance(value, dict):
        _check_object(node, value, position, correlation, result)
    result.matches += 3
    return result


def _check_type(
    node: Document, types: Sequence[str], form: str, value: Any, position: ValuePath, result: Result
) -> None:
    met = _type_of(value)
    wanted = ""
    if value is None:
        wanted = ",".join(types) if types and not node.get("nullable") else ""
    else:
        fits = met in types or (met == "integer" and "number" in types)
        fits = fits or (met == "number" and "integer" in types and is_json_integer(value))
        is_text = isinstance(value, str | list)
        if not is_text and form and not fits and _FORMATS.get(met, "") != form:
            wanted, met = form, _FORMATS.get(met, "")
        elif not fits and not (form and is_text and not {"number", "integer"} & set(types)):
            wanted = ",".join(types)
    if wanted:
        message = f'{position.name} in body must be of type {wanted}: "{met}"'
        result.faults[message] = invalid_type(position.path, met, message)
    else:
        result.matches += 1


def _check_junctors(
    node: Document, value: Any, position: ValuePath, correlation: Correlation | None, result: Result
) -> None:
    own = Result(matches=1)
    if node.get("anyOf"):
        _check_any(node["anyOf"], value, position, correlation, own)
    if node.get("oneOf"):
        _check_one(node["oneOf"], value, position, correlation, own)
    if node.get("allOf"):
        found = [_check(inner, value, position, correlation) for inner in node["allOf"]]
        for checked in found:
            own.merge(checked)
        valid = sum(not checked.faults for checked in found)
        if valid != len(found):
            none = "" if valid else ". None validated"
            add_fault(own, position, f"{quoted(position.name)} must validate all the schemas (allOf){none}")
    if "not" in node and not _check(node["not"], value, position, correlation).faults:
        add_fault(own, position, f"{quoted(position.name)} must not validate the schema (not)")
    result.merge(own)


def _check_any(
    nodes: Iterable[Document], value: Any, position: ValuePath, correlation: Correlation | None, own: Result
) -> None:
    best: Result | None = None
    for inner in nodes:
        found = _check(inner, value, position, correlation)
        if not found.faults:
            own.merge(found)
            return
        if best is None or found.matches > best.matches:
            best = found
    add_fault(own, position, f"{quoted(position.name)} must validate at least one schema (anyOf)")
    if best is not None:
        own.merge(best)


def _check_one(
    nodes: Iterable[Document], value: Any, position: ValuePath, correlation: Correlation | None, own: Result
) -> None:
    best: Result | None = None
    valid: list[Result] = []
    for inner in nodes:
        found = _check(inner, value, position, correlation)
        if not found.faults:
            valid.append(found)
        elif not valid and (best is None or found.matches > best.matches):
            best = found
    if len(valid) == 1:
        own.merge(valid[0])
        return
    count = f"Found {len(valid)} valid alternatives" if valid else "Found none valid"
    add_fault(own, position, f"{quoted(position.name)} must validate one and only one schema (oneOf). {count}")
    if best is not None and not valid:
        own.merge(best)


def _check_string(node: Document, form: str, value: str, position: ValuePath, result: Result) -> None:
    longest, shortest, pattern = node.get("maxLength"), node.get("minLength"), node.get("pattern")
    message = ""
    if longest is not None and len(value) > longest:
        said = f"{position.name} in body should be at most {longest} chars long"
        result.faults.setdefault(said, too_long(position.path, longest))
    elif shortest is not None and len(value) < shortest:
        message = f"{position.name} in body should be at least {shortest} chars long"
    elif pattern and compile_pattern(pattern).search(value) is None:
        message = f"{position.name} in body should match '{pattern}'"
    if message:
        result.faults.setdefault(message, invalid(position.path, value, message))
    result.matches += 1
    if form and is_known(form, "string"):
        result.matches += 1
        if not has_format(value, form):
            message = f"{position.name} in body must be of type {form}: {quoted(value)}"
            result.faults.setdefault(message, invalid_type(position.path, value, message))


def _check_number(
    node: Document, types: Sequence[str], form: str, value: float, position: ValuePath, result: Result
) -> None:
    kind = types[0] if len(types) == 1 and types[0] in ("integer", "number") else ""
    size = form if form in _SIZES.get(kind, ()) else ""
    for message, shown in number_faults(node, kind, size, value, position.name):
        fault = position.whole(message) if shown is None else invalid(position.path, shown, message)
        result.faults.setdefault(message, fault)
    result.matches += 2


def _check_list(
    node: Document, value: list[Any], position: ValuePath, correlation: Correlation | None, result: Result
) -> None:
    items = schema_of_items(node)
    if items is not None:
        for index, item in enumerate(value):
            linked = None if correlation is None else correlation.item(index)
            result.merge(_check_part(items, item, position.item(index), linked))
    fewest, most = node.get("minItems"), node.get("maxItems")
    if fewest is not None and len(value) < fewest:
        message = f"{position.name} in body should have at least {fewest} items"
        result.faults.setdefault(message, invalid(position.path, len(value), message))
    if most is not None and len(value) > most:
        message = f"{position.name} in body should have at most {most} items"
        result.faults.setdefault(message, too_many(position.path, len(value), most))
    result.matches += 2


def _check_enum(node: Document, value: Any, position: ValuePath, result: Result) -> None:
    values = node.get("enum")
    if not values or any(_equals(value, listed) for listed in values):
        return
    shown = [listed if isinstance(listed, str) else _json(with_whole_numbers(listed)) for listed in values]
    message = f"{position.name} in body should be one of {go_text(values)}"
    result.faults.setdefault(message, not_supported_string(position.path, value, shown))


def _json(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def _equals(value: Any, listed: Any) -> bool:
    """True if `value` equals `listed`, an item of an ``enum``, after conversion to the Go type of the item."""
    if value is None or listed is None:
        return False
    if isinstance(listed, bool) or isinstance(value, bool):
        return value is listed
    if isinstance(listed, int | float) and isinstance(value, int | float):
        return (int(value) if isinstance(listed, int) else float(value)) == listed
    return same(value, listed)


def _check_object(
    node: Document, value: Document, position: ValuePath, correlation: Correlation | None, result: Result
) -> None:
    fewest, most = node.get("minProperties"), node.get("maxProperties")
    if fewest is not None and len(value) < fewest:
        message = f"{position.name} in body should have at least {fewest} properties"
        result.faults.setdefault(message, invalid(position.path, len(value), message))
    if most is not None and len(value) > most:
        message = f"{position.name} in body should have at most {most} properties"
        result.faults.setdefault(message, too_many(position.path, len(value), most))
    described, values = node.get("properties", {}), schema_of_values(node)
    for name, item in value.items():
        if name in described:
            continue
        if values is not None:
            linked = None if correlation is None else correlation.field(name)
            result.merge(_check_part(values, item, position.value(name), linked))
        elif node.get("additionalProperties") is False:
            message = f"{position.name}.{name} in body is a forbidden property"
            result.faults.setdefault(message, invalid(position.path, name, message))
    for name, inner in described.items():
        if name in value:
            # An update can change apiVersion and kind, because objects are converted between versions. These changes
            # are ignored.
            typed = not position.name and position.base is None and name in ("kind", "apiVersion")
            linked = None if correlation is None or typed else correlation.field(name)
            result.merge(_check_part(inner, value[name], position.child(name), linked))
    for name in node.get("required", ()):
        if name not in value:
            missing = position.value(name)
            result.faults.setdefault(f"{missing.name} in body is required", required(missing.path))
    result.matches += 1


def _type_of(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case str():
            return "string"
        case int():
            return "integer"
        case float():
            return "number"
        case list():
            return "array"
    return "object"
