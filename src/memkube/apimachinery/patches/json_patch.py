"""RFC 6902 as the reference applies it: more lenient than the RFC where keys and values are missing.

Source: the behaviour and the words of ``evanphx/json-patch`` v4, which apiserver uses for PATCH and for webhooks. The
package jsonpatch gives operations their form; the steps into the document copy what they pass, because documents are
shared.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import orjson
from jsonpatch import PatchOperation
from jsonpointer import JsonPointerException

from memkube.apimachinery.model import Document
from memkube.apimachinery.patches.errors import PatchError, bad_request, go_type, not_applicable
from memkube.apimachinery.patches.json_pointer import (
    MISSING,
    Pointer,
    get_in,
    insert_in,
    key_in,
    opened,
    remove_in,
    set_in,
)

MAX_OPERATIONS: Final = 10_000


class NotApplied(Exception):
    """An operation that does not fit the document; the message is evanphx's."""


class TestFailed(NotApplied):
    """A ``test`` that has found something else."""


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
        return apply_operations(document, operations)
    except NotApplied as error:
        raise not_applicable() from error


def apply_operations(document: Document, operations: list[Document | None]) -> Document:
    """The document with these operations, of which there may be any number, applied in turn. Raises NotApplied."""
    patched: Document = opened(document)
    for operation in operations:
        fields = operation or {}
        kind = fields.get("op")
        made = _OPERATIONS.get(kind) if isinstance(kind, str) else None
        if made is None:
            raise NotApplied(f"Unexpected kind: {kind if isinstance(kind, str) else 'unknown'}")
        patched = made({"path": None, **fields}, pointer_cls=Pointer).apply(patched)
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


@contextmanager
def _failing_with(words: str) -> Iterator[None]:
    """Says what was tried where a container refuses it."""
    try:
        yield
    except JsonPointerException as error:
        raise NotApplied(f"{words}: {error}") from None


class _Operation(PatchOperation):
    pointer: Pointer

    @property
    def value(self) -> Any:
        return self.operation.get("value")

    def named_path(self, name: str = "path") -> str:
        """A path of the operation, as it was given. Raises NotApplied where it is none."""
        kind, path = self.operation["op"], self.operation.get(name)
        if isinstance(path, str):
            return path
        why = f"operation{',' if name == 'from' else ''} missing {name} field: {MISSING}"
        if path is not None and not isinstance(path, str):
            why = f"json: cannot unmarshal {json_type(path)} into Go value of type string"
        bare = name == "path" and kind in ("add", "remove", "copy")
        raise NotApplied(f"{kind} operation failed to decode {name}: {MISSING if bare else why}")

    def level(self, document: Any, pointer: Pointer, missing: str) -> Any:
        """What holds the last step of a path. Raises NotApplied."""
        container = pointer.container(document)
        if container is None:
            raise NotApplied(f"{self.operation['op']} operation does not apply: {missing}: {MISSING}")
        return container


class _Add(_Operation):
    def apply(self, obj: Any) -> Any:
        path = self.named_path()
        container = self.level(obj, self.pointer, f'doc is missing path: "{path}"')
        with _failing_with(f"error in add for path: '{path}'"):
            insert_in(container, self.pointer.last, self.value)
        return obj


class _Remove(_Operation):
    def apply(self, obj: Any) -> Any:
        path = self.named_path()
        container = self.level(obj, self.pointer, f'doc is missing path: "{path}"')
        with _failing_with(f"error in remove for path: '{path}'"):
            remove_in(container, self.pointer.last)
        return obj


class _Replace(_Operation):
    """Unlike the RFC's, also sets a key that is missing."""

    def apply(self, obj: Any) -> Any:
        path = self.named_path()
        if path == "":
            if not isinstance(self.value, dict | list):
                raise NotApplied("replace operation value must be object or array: %!w(<nil>)")
            return opened(self.value)
        container = self.level(obj, self.pointer, f"doc is missing path: {path}")
        if isinstance(container, dict):
            set_in(container, self.pointer.last, self.value)
            return obj
        try:
            container[key_in(container, self.pointer.last)] = self.value
        except JsonPointerException:
            why = f"replace operation does not apply: doc is missing key: {path}: {MISSING}"
            raise NotApplied(why) from None
        return obj


class _Move(_Operation):
    def apply(self, obj: Any) -> Any:
        start = self.named_path("from")
        source = Pointer(start)
        container = self.level(obj, source, f"doc is missing from path: {start}")
        with _failing_with(f"error in move for path: '{source.last}'"):
            value = get_in(container, source.last)
            remove_in(container, source.last)
        path = self.named_path()
        container = self.level(obj, self.pointer, f"doc is missing destination path: {path}")
        with _failing_with(f"error in move for path: '{path}'"):
            insert_in(container, self.pointer.last, value)
        return obj


class _Copy(_Operation):
    """Unlike the RFC's, copies null from a key that is missing."""

    def apply(self, obj: Any) -> Any:
        start = self.named_path("from")
        source = Pointer(start)
        container = self.level(obj, source, f"doc is missing from path: {start}")
        with _failing_with(f"error in copy for from: '{start}'"):
            value = get_in(container, source.last)
        path = self.named_path()
        container = self.level(obj, self.pointer, f"doc is missing destination path: {path}")
        with _failing_with("error while adding value during copy"):
            insert_in(container, self.pointer.last, value)
        return obj


class _Test(_Operation):
    """Unlike the RFC's, takes a missing key for null and tells 30 from 30.0."""

    def apply(self, obj: Any) -> Any:
        path, found = self.named_path(), obj
        if path != "":
            container = self.level(obj, self.pointer, f"is missing path: {path}")
            with _failing_with(f"error in test for path: '{path}'"):
                found = get_in(container, self.pointer.last)
        if not _same(found, self.value):
            raise TestFailed(f"testing value {path} failed: test failed")
        return obj


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return go_type(one) == go_type(other) and bool(one == other)


_OPERATIONS: Final[Mapping[str, type[_Operation]]] = {
    "add": _Add, "copy": _Copy, "move": _Move, "remove": _Remove, "replace": _Replace, "test": _Test,
}  # fmt: skip
