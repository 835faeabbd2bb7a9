"""Steps into a document as ``evanphx/json-patch`` v4 goes them, with its words for those that lead nowhere."""

import re
from typing import Any, Final

from jsonpointer import JsonPointer, JsonPointerException

from memkube.apimachinery.shown_values import quoted

MISSING: Final = "missing value"
_INDEX: Final = re.compile(r"[+-]?[0-9]+")


def opened(container: Any) -> Any:
    """A copy of one level, in the order in which the reference writes a level that it has decoded."""
    return dict(sorted(container.items())) if isinstance(container, dict) else list(container)


class Pointer(JsonPointer):
    """A path into the document. What precedes its first slash is overlooked."""

    def __init__(self, pointer: Any) -> None:
        text = pointer if isinstance(pointer, str) else ""
        self.parts = [part.replace("~1", "/").replace("~0", "~") for part in text.split("/")[1:]]

    def container(self, document: Any) -> Any:
        """The level that holds the path's last step, copied like all levels above it, which belong to the patch.

        None where there is no such level.
        """
        if not self.parts:
            return None
        level = document
        for part in self.parts[:-1]:
            try:
                key = key_in(level, part)
            except JsonPointerException:
                return None
            child = level.get(key) if isinstance(level, dict) else level[key]
            if not isinstance(child, dict | list):
                return None
            level[key] = child = opened(child)
            level = child
        return level

    @property
    def last(self) -> str:
        """The last step."""
        return str(self.parts[-1])


def key_in(container: Any, part: str, *, room: int = 0) -> Any:
    """A step as a key of this container. An index counts from the end if negative, and may exceed by `room`.

    Raises JsonPointerException.
    """
    if isinstance(container, dict):
        return part
    if not _INDEX.fullmatch(part):
        why = f"strconv.Atoi: parsing {quoted(part)}: invalid syntax"
        raise JsonPointerException(f"value was not a proper array index: '{part}': {why}" if room else why)
    size = len(container) + room
    index = int(part)
    if not -size <= index < size:
        raise JsonPointerException(f"Unable to access invalid index: {index}: invalid index referenced")
    return index + size if index < 0 else index


def get_in(container: Any, part: str) -> Any:
    """What a step leads to; None for a key that is not there. Raises JsonPointerException."""
    key = key_in(container, part)
    return container.get(key) if isinstance(container, dict) else container[key]


def set_in(container: dict[str, Any], key: str, value: Any) -> None:
    """Sets a key and keeps the keys sorted."""
    in_order = key in container
    container[key] = value
    if not in_order:
        items = sorted(container.items())
        container.clear()
        container.update(items)


def insert_in(container: Any, part: str, value: Any) -> None:
    """Adds a value in front of an index, or under a key. Raises JsonPointerException."""
    if isinstance(container, dict):
        set_in(container, part, value)
    elif part == "-":
        container.append(value)
    else:
        container.insert(key_in(container, part, room=1), value)


def remove_in(container: Any, part: str) -> None:
    """Takes a value away. Raises JsonPointerException."""
    key = key_in(container, part)
    if isinstance(container, dict) and key not in container:
        raise JsonPointerException(f"Unable to remove nonexistent key: {key}: {MISSING}")
    del container[key]
