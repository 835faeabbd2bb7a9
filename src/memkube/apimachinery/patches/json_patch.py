"""JSON Patch (RFC 6902) as ``evanphx/json-patch`` v4 applies it, which apiserver uses for PATCH and for webhooks.

The package jsonpatch implements the operations ``add``, ``remove`` and ``replace``; ``move`` and ``copy`` use its
``remove`` and ``add``. This module adds the behaviour of evanphx that jsonpatch lacks:

- Pointers copy the containers on the path, accept negative indices, and create a missing key for ``replace``.
- ``test`` treats a missing key as null and distinguishes 30 from 30.0; ``copy`` copies null from a missing key.
- ``move`` into a child of the moved value fails because its destination is missing, not by a check in advance.
- Error messages are evanphx's.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import orjson
from jsonpatch import AddOperation, JsonPatchConflict, JsonPatchPathNotFound, RemoveOperation, ReplaceOperation
from jsonpointer import JsonPointerException

from memkube.apimachinery.model import Document
from memkube.apimachinery.patches.errors import PatchError, bad_request, go_type, not_applicable
from memkube.apimachinery.patches.json_pointer import MISSING, ContainerMissing, Pointer, opened

MAX_OPERATIONS: Final = 10_000


class NotApplied(Exception):
    """Raised with the message of ``evanphx/json-patch`` if an operation cannot be applied to the document."""


class TestFailed(NotApplied):
    """Raised if the value at the path of a ``test`` operation is not the expected one."""


def apply_json_patch(document: Document, operations: Any) -> Document:
    """Apply the operations of a patch in order.

    Return the new document, with sorted keys in the objects on the changed paths.

    `operations` is decoded JSON, or its text. Raises PatchError: 400 if it is not a list of objects, 413 if it has too
    many operations, and 422 if an operation fails.
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
        return apply_operations(document, operations)
    except NotApplied as error:
        raise not_applicable() from error


def apply_operations(document: Document, operations: list[Document | None]) -> Document:
    """Apply operations in order, without a limit on their number, and return the new document.

    Raises NotApplied if an operation fails.
    """
    patched: Document = opened(document)
    for operation in operations:
        fields = operation or {}
        kind = fields.get("op")
        made = _OPERATIONS.get(kind) if isinstance(kind, str) else None
        if made is None:
            raise NotApplied(f"Unexpected kind: {kind if isinstance(kind, str) else 'unknown'}")
        patched = made(patched, fields)
    return patched


def check_operations(
    operations: Any, list_type: str = "jsonpatch.Patch", item_type: str = "jsonpatch.Operation"
) -> None:
    """Raise PatchError (400) unless `operations`, decoded JSON, is null or a list of objects and nulls.

    `list_type` and `item_type` are the Go types of the list and its items, for the error message.
    """
    if operations is None:
        return
    if not isinstance(operations, list):
        raise bad_request(f"json: cannot unmarshal {json_type(operations)} into Go value of type {list_type}")
    for operation in operations:
        if operation is not None and not isinstance(operation, dict):
            raise bad_request(f"json: cannot unmarshal {json_type(operation)} into Go value of type {item_type}")


def strict_errors(operations: Any) -> list[str]:
    """Return the errors of strict field validation of a JSON patch, except those for duplicate keys.

    Raises PatchError (400) if the operations or their fields have wrong types.
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
    """Return the name of a value's JSON type, such as ``object``, as in Go's decoding errors."""
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


@contextmanager
def _reporting(container_missing: str, failure: str) -> Iterator[None]:
    """Context manager for one operation: if the operation fails, NotApplied is raised.

    Its message begins with `container_missing` if the object or array with the value does not exist; otherwise it
    begins with `failure`.
    """
    try:
        yield
    except ContainerMissing:
        raise NotApplied(f"{container_missing}: {MISSING}") from None
    except (JsonPointerException, JsonPatchConflict) as error:
        raise NotApplied(f"{failure}: {error}") from None


def _path(operation: Document, name: str = "path") -> str:
    """Return the ``path`` or ``from`` of an operation. Raises NotApplied if it is missing or not a string."""
    kind, path = operation["op"], operation.get(name)
    if isinstance(path, str):
        return path
    why = f"operation{',' if name == 'from' else ''} missing {name} field: {MISSING}"
    if path is not None:
        why = f"json: cannot unmarshal {json_type(path)} into Go value of type string"
    is_bare = name == "path" and kind in ("add", "remove", "copy")
    raise NotApplied(f"{kind} operation failed to decode {name}: {MISSING if is_bare else why}")


def _insert(document: Any, path: str, value: Any) -> None:
    pointer = Pointer(path, indices_past_end=1, creates_key=True)
    AddOperation({"op": "add", "path": pointer, "value": value}, pointer_cls=Pointer).apply(document)


def _take_out(document: Any, path: str) -> None:
    pointer = Pointer(path)
    try:
        RemoveOperation({"op": "remove", "path": pointer}, pointer_cls=Pointer).apply(document)
    except JsonPatchPathNotFound:
        raise JsonPointerException(f"Unable to remove nonexistent key: {pointer.parts[-1]}: {MISSING}") from None


def _add(document: Any, operation: Document) -> Any:
    path = _path(operation)
    with _reporting(f'add operation does not apply: doc is missing path: "{path}"', f"error in add for path: '{path}'"):
        _insert(document, path, operation.get("value"))
    return document


def _remove(document: Any, operation: Document) -> Any:
    path = _path(operation)
    missing = f'remove operation does not apply: doc is missing path: "{path}"'
    with _reporting(missing, f"error in remove for path: '{path}'"):
        _take_out(document, path)
    return document


def _replace(document: Any, operation: Document) -> Any:
    path, value = _path(operation), operation.get("value")
    if path == "":
        if not isinstance(value, dict | list):
            raise NotApplied("replace operation value must be object or array: %!w(<nil>)")
        return opened(value)
    pointer = Pointer(path, creates_key=True)
    try:
        ReplaceOperation({"op": "replace", "path": pointer, "value": value}, pointer_cls=Pointer).apply(document)
    except ContainerMissing:
        raise NotApplied(f"replace operation does not apply: doc is missing path: {path}: {MISSING}") from None
    except JsonPointerException:
        raise NotApplied(f"replace operation does not apply: doc is missing key: {path}: {MISSING}") from None
    return document


def _move(document: Any, operation: Document) -> Any:
    start = _path(operation, "from")
    source = Pointer(start)
    missing = f"move operation does not apply: doc is missing from path: {start}"
    with _reporting(missing, f"error in move for path: '{source.parts[-1] if source.parts else ''}'"):
        value = source.value_in(document)
        _take_out(document, start)
    path = _path(operation)
    missing = f"move operation does not apply: doc is missing destination path: {path}"
    with _reporting(missing, f"error in move for path: '{path}'"):
        _insert(document, path, value)
    return document


def _copy(document: Any, operation: Document) -> Any:
    start = _path(operation, "from")
    missing = f"copy operation does not apply: doc is missing from path: {start}"
    with _reporting(missing, f"error in copy for from: '{start}'"):
        value = Pointer(start).value_in(document)
    path = _path(operation)
    missing = f"copy operation does not apply: doc is missing destination path: {path}"
    with _reporting(missing, "error while adding value during copy"):
        _insert(document, path, value)
    return document


def _test(document: Any, operation: Document) -> Any:
    path, found = _path(operation), document
    if path != "":
        missing = f"test operation does not apply: is missing path: {path}"
        with _reporting(missing, f"error in test for path: '{path}'"):
            found = Pointer(path).value_in(document)
    if not _is_same(found, operation.get("value")):
        raise TestFailed(f"testing value {path} failed: test failed")
    return document


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return go_type(one) == go_type(other) and bool(one == other)


_OPERATIONS: Final[Mapping[str, Callable[[Any, Document], Any]]] = {
    "add": _add, "copy": _copy, "move": _move, "remove": _remove, "replace": _replace, "test": _test,
}  # fmt: skip
