"""JSON pointers with the rules and the error messages of ``evanphx/json-patch`` v4."""

import re
from typing import Any, Final

from jsonpointer import JsonPointer, JsonPointerException

from memkube.apimachinery.shown_values import quoted

MISSING: Final = "missing value"
_INDEX: Final = re.compile(r"[+-]?[0-9]+")


class ContainerMissing(JsonPointerException):
    """Raised if the document has no object or array that could contain the value at a pointer."""


def opened(container: Any) -> Any:
    """Return a shallow copy of an object or array; the keys of an object are sorted, as by Go's encoder."""
    return dict(sorted(container.items())) if isinstance(container, dict) else list(container)


class Pointer(JsonPointer):
    """A JSON pointer for patching a shared document.

    Each object or array on the path is copied before it is changed. Characters before the first slash are ignored.
    """

    def __init__(self, text: str, *, indices_past_end: int = 0, creates_key: bool = False) -> None:
        """Parse the text of a JSON pointer.

        If the last part of the pointer is an array index, it can exceed the index of the last item by
        `indices_past_end`: for ``add``, this is 1, which appends an item. If `creates_key` is true and the last part is
        a key that the object lacks, the key is created.
        """
        self.parts = [part.replace("~1", "/").replace("~0", "~") for part in text.split("/")[1:]]
        self._indices_past_end = indices_past_end
        self._creates_key = creates_key

    def to_last(self, doc: Any) -> tuple[Any, Any]:
        """Return the container of the value at this pointer, and the key or index of the value in the container.

        Raises ContainerMissing if the document has no such container, and JsonPointerException if the index is invalid.
        """
        container = self._container(doc)
        part = self.parts[-1]
        if isinstance(container, dict):
            if self._creates_key and part not in container:
                items = sorted([*container.items(), (part, None)])
                container.clear()
                container.update(items)
            return container, part
        return container, part if part == "-" and self._indices_past_end else _index(
            container, part, indices_past_end=self._indices_past_end
        )

    def value_in(self, document: Any) -> Any:
        """Return the value at this pointer; None if the object lacks the last key.

        Raises ContainerMissing if no object or array could contain the value, and JsonPointerException for a bad index.
        """
        container, key = self.to_last(document)
        return container.get(key) if isinstance(container, dict) else container[key]

    def _container(self, document: Any) -> Any:
        if not self.parts:
            raise ContainerMissing
        container = document
        for part in self.parts[:-1]:
            try:
                key = part if isinstance(container, dict) else _index(container, part)
            except JsonPointerException:
                raise ContainerMissing from None
            child = container.get(key) if isinstance(container, dict) else container[key]
            if not isinstance(child, dict | list):
                raise ContainerMissing
            container[key] = child = opened(child)
            container = child
        return container


def _index(container: list[Any], part: str, *, indices_past_end: int = 0) -> int:
    """Parse the array index `part` for the array `container`, as if it had `indices_past_end` more items at its end.

    A negative index counts from that end. Raises JsonPointerException if the index is malformed or out of range.
    """
    if not _INDEX.fullmatch(part):
        why = f"strconv.Atoi: parsing {quoted(part)}: invalid syntax"
        raise JsonPointerException(f"value was not a proper array index: '{part}': {why}" if indices_past_end else why)
    size = len(container) + indices_past_end
    index = int(part)
    if not -size <= index < size:
        raise JsonPointerException(f"Unable to access invalid index: {index}: invalid index referenced")
    return index + size if index < 0 else index
