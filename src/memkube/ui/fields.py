"""Field managers of each field of an object, from its managedFields."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

_SHOWN_CHARACTERS: Final = 120
_WHOLE: Final = "."
"""Key in a FieldsV1 set that stands for the field itself rather than for a field in it."""


class Manager(NamedTuple):
    """A field manager, as an entry of managedFields describes it."""

    name: str
    operation: str
    subresource: str
    time: str

    def __str__(self) -> str:
        """Return the name of the manager with its operation and subresource, such as ``kubectl (Apply, status)``."""
        return f"{self.name} ({', '.join(filter(None, (self.operation, self.subresource)))})"


class OwnedField(NamedTuple):
    """A field of an object, with its value and its field managers."""

    path: str
    value: str
    """Value as JSON. A long value is truncated."""
    managers: tuple[Manager, ...]


def owned_fields(document: Mapping[str, Any]) -> list[OwnedField]:
    """Return the fields of an object that managedFields lists, each with its field managers, sorted by path.

    If managedFields lists fields inside a struct or list, only these are returned, and not the struct or list.
    """
    managers: dict[str, list[Manager]] = {}
    values: dict[str, str] = {}
    for entry in document.get("metadata", {}).get("managedFields") or ():
        names = (entry.get(name) or "" for name in ("manager", "operation", "subresource", "time"))
        manager = Manager(*map(str, names))
        for path, value in _leaves(entry.get("fieldsV1") or {}, document, ""):
            managers.setdefault(path, []).append(manager)
            values[path] = value
    return [OwnedField(path, values[path], tuple(managers[path])) for path in sorted(managers)]


def _leaves(fields: Mapping[str, Any], value: Any, path: str) -> Iterator[tuple[str, str]]:
    for element, inner in fields.items():
        if element == _WHOLE:
            continue
        step, found = _step(element, value)
        if set(inner) - {_WHOLE}:
            yield from _leaves(inner, found, path + step)
        else:
            yield (path + step).removeprefix("."), _shown(found)


def _step(element: str, value: Any) -> tuple[str, Any]:
    """Return an element of a FieldsV1 path as text, and the value of that element in `value`.

    The value is None if the object no longer contains it.
    """
    kind, _, text = element.partition(":")
    if kind == "f":
        name = f".{text}" if "." not in text and "/" not in text else f"[{json.dumps(text)}]"
        return name, value.get(text) if isinstance(value, Mapping) else None
    items = value if isinstance(value, list) else []
    key = json.loads(text)
    if kind == "k":
        shown = ",".join(f"{name}={json.dumps(part)}" for name, part in key.items())
        fits = (one for one in items if isinstance(one, Mapping) and key.items() <= one.items())
        return f"[{shown}]", next(fits, None)
    if kind == "i":
        return f"[{text}]", items[key] if key < len(items) else None
    return f"[{text}]", key


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…"
