"""JSONPath as in kubectl and additionalPrinterColumns (client-go ``util/jsonpath``).

Supports fields, quoted fields, indexes, slices, wildcards, recursive descent, unions and filters.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeAlias

from memkube.apimachinery.model import Document

Step: TypeAlias = Callable[[list[Any]], list[Any]]

_name = re.compile(r"\.((?:\\.|[^.\[\]\s()'\"|,])+)").match
_union = re.compile(r"\[((?:\s*(?:'(?:\\.|[^'\\])*'|-?\d+)\s*,?)+)\]").match
_slice = re.compile(r"\[(-?\d*):(-?\d*)(?::(-?\d*))?\]").match
_filter = re.compile(r"\[\?\((@[^=!<>]*?)\s*(==|!=|<=|>=|<|>)\s*(.+?)\)\]").match
_existence = re.compile(r"\[\?\((@[^=!<>()]*)\)\]").match
_part = re.compile(r"'((?:\\.|[^'\\])*)'|(-?\d+)").findall
_COMPARED: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "==": lambda one, other: bool(one == other),
    "!=": lambda one, other: bool(one != other),
    "<": lambda one, other: bool(one < other),
    "<=": lambda one, other: bool(one <= other),
    ">": lambda one, other: bool(one > other),
    ">=": lambda one, other: bool(one >= other),
}


class JsonPath:
    """A JSONPath such as ``.spec.containers[0].image``. Raises ValueError for unsupported syntax."""

    def __init__(self, text: str) -> None:
        self._steps = _read(text)

    def find(self, document: Document) -> list[Any]:
        """Return the values at the path; empty if a key on the path is missing."""
        values: list[Any] = [document]
        for step in self._steps:
            values = step(values)
        return values


def _read(text: str) -> Sequence[Step]:
    steps: list[Step] = []
    offset = 0
    while offset < len(text):
        rest = text[offset:]
        if rest == ".":
            break
        if rest.startswith(".."):
            steps.append(_descend)
            offset += 1
        elif rest.startswith(("[*]", ".*")):
            steps.append(_children)
            offset += 3 if rest[0] == "[" else 2
        elif found := _name(rest):
            steps.append(_field(re.sub(r"\\(.)", r"\1", found[1])))
            offset += found.end()
        else:
            step, length = _bracket(rest)
            steps.append(step)
            offset += length
    return steps


def _bracket(rest: str) -> tuple[Step, int]:
    if found := _union(rest):
        parts = [re.sub(r"\\(.)", r"\1", name) if not number else int(number) for name, number in _part(found[1])]
        return _either(parts), found.end()
    if found := _slice(rest):
        bounds = [int(bound) if bound else None for bound in found.groups()]
        return (
            lambda values: [item for value in values if isinstance(value, list) for item in value[slice(*bounds)]]
        ), found.end()
    if found := _filter(rest):
        return _matching(_read(found[1][1:]), _COMPARED[found[2]], _literal(found[3].strip())), found.end()
    if found := _existence(rest):
        inner = _read(found[1][1:])
        return (lambda values: [item for item in _children(values) if _values(inner, item)]), found.end()
    raise ValueError(f"unsupported JSONPath syntax: {rest}")


def _literal(text: str) -> Any:
    if text[0] in "'\"" and text[-1] == text[0]:
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    if text in ("true", "false"):
        return text == "true"
    return float(text) if "." in text else int(text)


def _values(steps: Iterable[Step], value: Any) -> list[Any]:
    values = [value]
    for step in steps:
        values = step(values)
    return values


def _field(name: str) -> Step:
    return lambda values: [value[name] for value in values if isinstance(value, dict) and name in value]


def _either(parts: Sequence[str | int]) -> Step:
    return lambda values: [value[part] for part in parts for value in values if _has(value, part)]


def _has(value: Any, part: str | int) -> bool:
    if isinstance(part, str):
        return isinstance(value, dict) and part in value
    return isinstance(value, list) and -len(value) <= part < len(value)


def _matching(steps: Sequence[Step], compare: Callable[[Any, Any], bool], wanted: Any) -> Step:
    def holds(item: Any) -> bool:
        found = _values(steps, item)
        if not found or type(found[0]) is not type(wanted):
            return False
        return compare(found[0], wanted)

    return lambda values: [item for item in _children(values) if holds(item)]


def _children(values: list[Any]) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if isinstance(value, dict):
            found += [value[key] for key in sorted(value)]
        elif isinstance(value, list):
            found += value
    return found


def _descend(values: list[Any]) -> list[Any]:
    found: list[Any] = []
    for value in values:
        found.append(value)
        found += _descend(_children([value]))
    return found
