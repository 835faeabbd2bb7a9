"""RFC 6902 as the reference applies it: more lenient than the RFC where keys and values are missing.

Source: the behaviour of ``evanphx/json-patch`` v4 under apiserver's ``handlers/patch.go``. The package jsonpatch
reads the operations; the steps into the document are :class:`_Pointer`'s, and copy what they pass, because
documents are shared.
"""

import re
from types import MappingProxyType
from typing import Any, Final

import orjson
from jsonpatch import InvalidJsonPatch, JsonPatch, JsonPatchException, PatchOperation
from jsonpointer import JsonPointer, JsonPointerException

from memkube.apimachinery.model import Document
from memkube.apimachinery.patches.errors import PatchError, bad_request, go_type, not_applicable

MAX_OPERATIONS: Final = 10_000
_INDEX: Final = re.compile(r"[+-]?[0-9]+")


def apply_json_patch(document: Document, operations: Any) -> Document:
    """The document with these operations applied in turn; keys of the levels passed are sorted.

    `operations` is decoded JSON, or its text. Raises PatchError: 400 where they are no list of objects, 413 where
    they are too many, and 422 where one fails.
    """
    if isinstance(operations, bytes):
        operations = _decoded(operations)
    if operations is None:
        return document
    check_operations(operations)
    if len(operations) > MAX_OPERATIONS:
        message = f"The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {len(operations)}"
        raise PatchError(413, "RequestEntityTooLarge", f"Request entity too large: {message}")
    try:
        patched: Document = _Patch(operations, pointer_cls=_Pointer).apply(_opened(document), in_place=True)
    except (JsonPatchException, JsonPointerException) as error:
        raise not_applicable() from error
    return patched


def check_operations(
    operations: Any, list_type: str = "jsonpatch.Patch", item_type: str = "jsonpatch.Operation"
) -> None:
    """Raises PatchError (400) unless this decoded JSON is a list of objects, or null."""
    if operations is None:
        return
    if not isinstance(operations, list):
        raise bad_request(f"json: cannot unmarshal {json_type(operations)} into Go value of type {list_type}")
    for operation in operations:
        if operation is not None and not isinstance(operation, dict):
            raise bad_request(f"json: cannot unmarshal {json_type(operation)} into Go value of type {item_type}")


def strict_errors(operations: Any) -> list[str]:
    """What strict decoding complains about in a JSON patch, in the reference's words; duplicate keys aside.

    Raises PatchError (400) where the operations are of the wrong shape.
    """
    prefix = "error decoding patch: "
    try:
        check_operations(operations, "[]handlers.jsonPatchOp", "handlers.jsonPatchOp")
    except PatchError as error:
        raise bad_request(prefix + error.message) from error
    unknown: list[str] = []
    for index, operation in enumerate(operations or ()):
        for name, value in (operation or {}).items():
            if name not in ("op", "path", "from", "value"):
                unknown.append(f'json patch unknown field "[{index}].{name}"')
            elif name != "value" and value is not None and not isinstance(value, str):
                kind = json_type(value)
                text = f"json: cannot unmarshal {kind} into Go struct field jsonPatchOp.{name} of type string"
                raise bad_request(prefix + text)
    return unknown


def json_type(value: Any) -> str:
    """What Go's decoder calls the type of a JSON value."""
    if isinstance(value, dict):
        return "object"
    if isinstance(value, list):
        return "array"
    return "string" if isinstance(value, str) else "bool" if isinstance(value, bool) else "number"


def _decoded(text: bytes) -> Any:
    try:
        return orjson.loads(text)
    except ValueError as error:
        raise bad_request(str(error)) from error


def _opened(container: Any) -> Any:
    """A copy of one level, in the order in which the reference writes a level that it has decoded."""
    return dict(sorted(container.items())) if isinstance(container, dict) else list(container)


class _Pointer(JsonPointer):
    """A path into the document. What precedes its first slash is overlooked."""

    def __init__(self, pointer: Any) -> None:
        if not isinstance(pointer, str):
            raise JsonPointerException("a path is a string")
        self.parts = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]

    def container(self, document: Any) -> Any:
        """The level that holds the path's last step, copied like all levels above it, which belong to the patch."""
        if not self.parts:
            raise JsonPointerException("the path names no container")
        level = document
        for part in self.parts[:-1]:
            key = _key(level, part)
            child = level.get(key) if isinstance(level, dict) else level[key]
            if not isinstance(child, dict | list):
                raise JsonPointerException(f"nothing to look into at {part}")
            level[key] = child = _opened(child)
            level = child
        return level

    @property
    def last(self) -> str:
        """The last step."""
        return str(self.parts[-1])


def _key(container: Any, part: str, *, room: int = 0) -> Any:
    """A step as a key of this container. An index counts from the end if negative, and may exceed by `room`."""
    if isinstance(container, dict):
        return part
    if not _INDEX.fullmatch(part):
        raise JsonPointerException(f"no index: {part}")
    size = len(container) + room
    index = int(part)
    if not -size <= index < size:
        raise JsonPointerException(f"index out of range: {part}")
    return index + size if index < 0 else index


def _get(container: Any, part: str) -> Any:
    key = _key(container, part)
    return container.get(key) if isinstance(container, dict) else container[key]


def _set(container: dict[str, Any], key: str, value: Any) -> None:
    """Sets a key and keeps the keys sorted."""
    in_order = key in container
    container[key] = value
    if not in_order:
        items = sorted(container.items())
        container.clear()
        container.update(items)


def _insert(container: Any, part: str, value: Any) -> None:
    if isinstance(container, dict):
        _set(container, part, value)
    elif part == "-":
        container.append(value)
    else:
        container.insert(_key(container, part, room=1), value)


def _remove(container: Any, part: str) -> None:
    key = _key(container, part)
    if isinstance(container, dict) and key not in container:
        raise JsonPointerException(f"nothing to remove at {part}")
    del container[key]


class _Operation(PatchOperation):
    pointer: _Pointer

    @property
    def value(self) -> Any:
        return self.operation.get("value")

    @property
    def source(self) -> _Pointer:
        return _Pointer(self.operation.get("from"))


class _Add(_Operation):
    def apply(self, obj: Any) -> Any:
        _insert(self.pointer.container(obj), self.pointer.last, self.value)
        return obj


class _Remove(_Operation):
    def apply(self, obj: Any) -> Any:
        _remove(self.pointer.container(obj), self.pointer.last)
        return obj


class _Replace(_Operation):
    """Unlike the RFC's, also sets a key that is missing."""

    def apply(self, obj: Any) -> Any:
        if self.location == "":
            if not isinstance(self.value, dict | list):
                raise InvalidJsonPatch("the document can only be replaced by an object or array")
            return _opened(self.value)
        container = self.pointer.container(obj)
        if isinstance(container, dict):
            _set(container, self.pointer.last, self.value)
        else:
            container[_key(container, self.pointer.last)] = self.value
        return obj


class _Move(_Operation):
    def apply(self, obj: Any) -> Any:
        container = self.source.container(obj)
        value = _get(container, self.source.last)
        _remove(container, self.source.last)
        _insert(self.pointer.container(obj), self.pointer.last, value)
        return obj


class _Copy(_Operation):
    """Unlike the RFC's, copies null from a key that is missing."""

    def apply(self, obj: Any) -> Any:
        value = _get(self.source.container(obj), self.source.last)
        _insert(self.pointer.container(obj), self.pointer.last, value)
        return obj


class _Test(_Operation):
    """Unlike the RFC's, takes a missing key for null and tells 30 from 30.0."""

    def apply(self, obj: Any) -> Any:
        found = obj if self.location == "" else _get(self.pointer.container(obj), self.pointer.last)
        if not _same(found, self.value):
            raise InvalidJsonPatch("the test failed")
        return obj


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return go_type(one) == go_type(other) and bool(one == other)


class _Patch(JsonPatch):
    operations = MappingProxyType(
        {"add": _Add, "remove": _Remove, "replace": _Replace, "move": _Move, "copy": _Copy, "test": _Test}
    )
