"""JSON Merge Patch (RFC 7386) as ``evanphx/json-patch`` v4 applies it, which apiserver uses."""

from typing import Any

from memkube.apimachinery.model import Document
from memkube.apimachinery.patches.errors import bad_request
from memkube.apimachinery.patches.json_patch import json_type


def apply_merge_patch(document: Document, patch: Any) -> Document:
    """Return the document after applying a decoded merge patch, with sorted keys in the changed objects.

    Raises PatchError (400) if the patch is not an object.
    """
    if patch is None:
        raise bad_request("Invalid JSON Patch")
    if not isinstance(patch, dict):
        text = f"json: cannot unmarshal {json_type(patch)} into Go value of type map[string]interface {{}}"
        raise bad_request(f"error decoding patch: {text}")
    return _merged(document, patch)


def _merged(document: Document, patch: Document) -> Document:
    merged = dict(document)
    for key, value in patch.items():
        present = merged.get(key)
        if value is None:
            merged.pop(key, None)
        elif isinstance(present, dict):
            merged[key] = _merged(present, value) if isinstance(value, dict) else value
        else:
            merged[key] = _without_nulls(value)
    return dict(sorted(merged.items()))


def _without_nulls(value: Any) -> Any:
    """Return a copy of JSON data without null fields, also in objects inside lists. Null items of lists are kept."""
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in sorted(value.items()) if item is not None}
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    return value
