"""Structural OpenAPI v3 schemas of custom kinds (apiextensions ``pkg/apiserver/schema``).

A schema defines how objects of the kind are pruned, defaulted and validated, and the types of their lists. Unsupported
keywords raise ValueError.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath
from memkube.apimachinery.model import Document
from memkube.apimachinery.structural.correlation import Correlation
from memkube.apimachinery.structural.defaulting import HasDefaults, compile_has_defaults, defaulted
from memkube.apimachinery.structural.embedded import coerce_metadata, validate_embedded
from memkube.apimachinery.structural.fast_validation import IsValid, compile_fast_validation
from memkube.apimachinery.structural.keywords import (
    EMBEDDED,
    INHERITED,
    INT_OR_STRING,
    LIST_KEYS,
    LIST_TYPE,
    MAP_TYPE,
    PRESERVES,
    RULES,
    schemas_within,
    steps,
)
from memkube.apimachinery.structural.list_types import validate_list_types
from memkube.apimachinery.structural.numbers import with_whole_numbers, within_int64
from memkube.apimachinery.structural.pruning import pruned, without_nulls
from memkube.apimachinery.structural.rules import unsupported_keyword, validate_structural
from memkube.apimachinery.structural.structs import custom_struct, own_fields
from memkube.apimachinery.structural.values import validate_value

_CUSTOM_KEYWORDS: Final = frozenset(
    {
        "additionalProperties", "allOf", "anyOf", "default", "description", "enum", "example", "exclusiveMaximum",
        "exclusiveMinimum", "externalDocs", "format", "items", "maxItems", "maxLength", "maxProperties", "maximum",
        "minItems", "minLength", "minProperties", "minimum", "multipleOf", "not", "nullable", "oneOf", "pattern",
        "properties", "required", "title", "type", "uniqueItems",
        EMBEDDED, INT_OR_STRING, LIST_KEYS, LIST_TYPE, MAP_TYPE, PRESERVES, RULES,
    }
)  # fmt: skip


class StructuralSchema:
    """The schema of one API version of a custom kind.

    The constructor raises ValueError if the schema has unsupported keywords.
    """

    def __init__(self, document: Document, kind: str) -> None:
        """Compile the OpenAPI v3 schema `document`, which describes whole objects of the kind `kind`."""
        _check_custom(document, kind)
        self.document = document
        self.struct = custom_struct(document, kind)
        self.struct.documented = own_fields(document)
        self._root: Document = {**_with_pruned_defaults(document), EMBEDDED: True}
        self._status: Document | None = document.get("properties", {}).get("status")
        self.has_rules = any(node.get(RULES) for node in schemas_within(document))
        """True if the schema has CEL rules. This class does not evaluate them."""

    with_whole_numbers = staticmethod(with_whole_numbers)
    within_int64 = staticmethod(within_int64)

    @cached_property
    def is_plain(self) -> IsValid:
        """Function that takes an object, and returns True only if a fast check finds that the object is valid.

        If it returns False, the object may be valid or invalid, so the caller must run the complete validation.
        """
        return compile_fast_validation(self.document)

    @cached_property
    def _holds_defaults(self) -> HasDefaults | None:
        return compile_has_defaults(self._root)

    def prune(self, document: Document) -> tuple[Document, list[str]]:
        """Return the object without unknown fields, and the sorted paths of these fields.

        Null fields that the schema does not allow are removed too, and the metadata of embedded objects is decoded. A
        valid object without unknown fields is returned as it is. Raises DecodeError if the metadata of an embedded
        object has a wrong type.
        """
        unknown: list[str] = []
        if self.is_plain(document):
            return document, unknown
        inherited = {name: value for name, value in document.items() if name in INHERITED}
        kept: Document = without_nulls(self._root, pruned(self._root, document, "", unknown))
        unknown.sort()
        inside: list[str] = []
        content = {name: value for name, value in kept.items() if name not in INHERITED}
        content = coerce_metadata({**self._root, EMBEDDED: False}, content, FieldPath(""), inside)
        return {**inherited, **content}, unknown + sorted(inside)

    def keeps_null(self, name: str) -> bool:
        """True if the schema allows null in the top-level field with this name."""
        return bool(without_nulls(self._root, {name: None}))

    def default(self, content: Document) -> Document:
        """Return the fields of an object with the defaults of the schema added.

        If no default is missing, `content` itself is returned.
        """
        holds = self._holds_defaults
        filled: Document = content if holds is None or holds(content) else defaulted(self._root, content)
        return filled

    def validate(self, document: Document, other_errors: Sequence[FieldError] = ()) -> list[FieldError]:
        """Validate a new object, and return all errors.

        `other_errors` are errors that other checks have found. The result contains them, in the order of Kubernetes.
        """
        if self.is_plain(document):
            return [*other_errors]
        errors = [*validate_value(self.document, document), *other_errors]
        return errors + self._validate_inside(document) + validate_list_types(self.document, document, FieldPath(""))

    def validate_update(
        self, document: Document, old: Document, other_errors: Sequence[FieldError] = ()
    ) -> list[FieldError]:
        """Validate an updated object. Errors in parts that the update does not change are dropped (ratcheting).

        `other_errors` are errors that other checks have found. The result contains them, in the order of Kubernetes.
        """
        if self.is_plain(document):
            return [*other_errors]
        correlation = Correlation(self.document, old, document)
        errors = [*validate_value(self.document, document, None, correlation), *other_errors]
        return errors + self._validate_inside(document) + self._validate_lists(document, old)

    def validate_status(
        self, document: Document, old: Document, other_errors: Sequence[FieldError] = ()
    ) -> list[FieldError]:
        """Validate an updated status. Errors in parts that the update does not change are dropped (ratcheting).

        `other_errors` are errors that other checks have found. The result contains them, in the order of Kubernetes.
        """
        if self.is_plain(document):
            return [*other_errors]
        errors: list[FieldError] = []
        if "status" in document and self._status is not None:
            linked = Correlation(self.document, old, document).field("status")
            errors += validate_value(self._status, document["status"], FieldPath("status"), linked)
        return [*errors, *other_errors, *self._validate_lists(document, old)]

    def _validate_inside(self, document: Document) -> list[FieldError]:
        return validate_embedded({**self.document, EMBEDDED: False}, document, FieldPath(""))

    def _validate_lists(self, document: Document, old: Document) -> list[FieldError]:
        if validate_list_types(self.document, old, FieldPath("")):
            return []
        return validate_list_types(self.document, document, FieldPath(""))


def _check_custom(document: Document, kind: str) -> None:
    waiting = [("", document)]
    while waiting:
        path, node = waiting.pop()
        if not node.keys() <= _CUSTOM_KEYWORDS:
            unknown = sorted(node.keys() - _CUSTOM_KEYWORDS)
            raise ValueError(f"the schema of {kind} has the unsupported keyword {unknown[0]} at {path or 'the root'}")
        waiting += [(f"{path}.{step.key_or_index or step.keyword}".lstrip("."), step.node) for step in steps(node)]
    why = unsupported_keyword(document)
    errors = [] if why else validate_structural(document, FieldPath(""))
    if why or errors:
        raise ValueError(why or str(errors[0]))


def _with_pruned_defaults(node: Document) -> Document:
    """Return the schema with unknown fields removed from its default values."""
    kept = dict(node)
    if isinstance(node.get("default"), dict | list):
        kept["default"] = pruned(node, node["default"], "", [])
    for keyword in ("items", "additionalProperties"):
        if isinstance(node.get(keyword), dict):
            kept[keyword] = _with_pruned_defaults(node[keyword])
    if "properties" in node:
        kept["properties"] = {name: _with_pruned_defaults(inner) for name, inner in node["properties"].items()}
    return kept
