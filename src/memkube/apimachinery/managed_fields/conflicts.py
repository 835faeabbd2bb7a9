"""Conflicts of server-side apply: fields that other managers own and the applied configuration would change."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import orjson

from memkube.apimachinery.managed_fields.entries import Entries, Entry
from memkube.apimachinery.managed_fields.field_set import FieldSet, intersection, paths, shown_path
from memkube.apimachinery.shown_values import quoted


class Conflict(NamedTuple):
    """A conflicting field: the message's description of its manager, and its path elements."""

    manager: str
    field: str
    path: tuple[str, ...]


class ApplyConflict(Exception):
    """Other managers own fields that would change (status 409). Each conflict is a cause FieldManagerConflict."""

    code: ClassVar[int] = 409
    reason: ClassVar[str] = "Conflict"

    def __init__(self, conflicts: list[Conflict]) -> None:
        super().__init__(_message(conflicts))
        self.conflicts = conflicts

    @property
    def message(self) -> str:
        """Message of the Status body."""
        return str(self)

    @property
    def causes(self) -> list[tuple[str, str, str]]:
        """Causes of the Status body, each with reason, message and field."""
        return [("FieldManagerConflict", f"conflict with {c.manager}", c.field) for c in self.conflicts]


@dataclass
class ApplyError(Exception):
    """Raised if an apply request is rejected. `reason` is empty if Kubernetes' Status has no reason."""

    code: int
    reason: str
    message: str

    def __str__(self) -> str:
        return self.message


def conflicts_of(entries: Entries, changed_in: Callable[[str], FieldSet]) -> list[Conflict]:
    """Return the conflicts by manager; `changed_in` is a function that returns the changed fields in an API version."""
    return list(_conflicts(sorted(entries.values(), key=_identifier), changed_in))


def _conflicts(entries: list[Entry], changed_in: Callable[[str], FieldSet]) -> Iterator[Conflict]:
    for entry in entries:
        for path in paths(intersection(entry.fields, changed_in(entry.api_version))):
            yield Conflict(_described(entry), shown_path(path), path)


def _described(entry: Entry) -> str:
    text = quoted(entry.manager)
    if entry.subresource:
        text += f" with subresource {quoted(entry.subresource)}"
    return f"{text} using {entry.api_version}" if entry.operation == "Update" else text


def _identifier(entry: Entry) -> bytes:
    """Return the string by which Kubernetes identifies and sorts managers."""
    manager, operation, version, subresource = entry.id
    fields = {"manager": manager, "operation": operation, "apiVersion": version, "subresource": subresource}
    return orjson.dumps({name: value for name, value in fields.items() if value})


def _message(conflicts: list[Conflict]) -> str:
    if len(conflicts) == 1:
        return f"Apply failed with 1 conflict: conflict with {conflicts[0].manager}: {conflicts[0].field}"
    lines: list[str] = []
    for conflict in conflicts:
        heading = f"conflicts with {conflict.manager}:"
        if heading not in lines:
            lines.append(heading)
        lines.append(f"- {conflict.field}")
    return f"Apply failed with {len(conflicts)} conflicts: {chr(10).join(lines)}"
