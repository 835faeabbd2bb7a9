"""Conditions on an object, in the syntax of ``kubectl wait --for``."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from memkube.apimachinery.json_path import JsonPath
from memkube.apimachinery.model import Document

Holds: TypeAlias = Callable[[Document | None], bool]
"""Function that returns True if a state of an object meets the condition.

The state is None if the object does not exist.
"""
_PATH: Final = "jsonpath={"
KNOWN: Final = "create, delete, condition=TYPE, condition=TYPE=STATUS, jsonpath={PATH}=VALUE, jsonpath={PATH}"


def parse_condition(text: str) -> Holds:
    """Return the function that evaluates a condition. Raises ValueError for an unknown condition."""
    if text == "create":
        return lambda state: state is not None
    if text == "delete":
        return lambda state: state is None
    if text.startswith(_PATH) and "}" in text:
        path, _, rest = text.removeprefix(_PATH).rpartition("}")
        if not rest or rest.startswith("="):
            return _at(JsonPath(path), rest[1:] if rest else None)
    word, _, rest = text.partition("=")
    if word != "condition" or not rest:
        raise ValueError(f"unknown condition {text!r}: choose from {KNOWN}")
    kind, _, status = rest.partition("=")
    return _of_type(kind.lower(), (status or "True").lower())


def conditions_of(document: Document) -> list[Mapping[str, Any]]:
    """Return the items of ``status.conditions`` of an object; empty if it has none."""
    status = document.get("status")
    found = status.get("conditions") if isinstance(status, dict) else None
    return [condition for condition in found or () if isinstance(condition, dict)]


def _of_type(kind: str, status: str) -> Holds:
    def holds(state: Document | None) -> bool:
        found = next((c for c in conditions_of(state or {}) if str(c.get("type", "")).lower() == kind), None)
        return found is not None and str(found.get("status", "")).lower() == status

    return holds


def _at(path: JsonPath, wanted: str | None) -> Holds:
    def holds(state: Document | None) -> bool:
        values = [_written(value) for value in path.find(state or {})]
        return bool(values) if wanted is None else values == [wanted]

    return holds


def _written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
