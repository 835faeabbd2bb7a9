"""Strategic merge patch: objects are merged field by field, and lists by the merge keys in the schema.

Source: apimachinery's ``util/strategicpatch``. Directives in the patch (``$patch``, ``$retainKeys``,
``$deleteFromPrimitiveList/…``, ``$setElementOrder/…``) control how values are merged. As in Kubernetes, merging removes
the processed parts from the patch, so that error messages quote only the remaining parts.
"""

import re
from typing import Any, Final

from memkube.apimachinery.model import Document
from memkube.apimachinery.patches.errors import bad_request, go_text, go_type, internal
from memkube.apimachinery.patches.json_patch import json_type
from memkube.apimachinery.patches.merge_lists import (
    DELETE_FROM_LIST,
    DIRECTIVE,
    ORDER,
    check_list,
    directive_key,
    merged_items,
    ordered,
    unknown_directive,
    validate_order,
)
from memkube.apimachinery.schema import FieldSchema, ListSchema, MapSchema, Schema, StructSchema

RETAIN_KEYS: Final = "$retainKeys"
_MAY_DIRECT: Final = re.compile(r"\$").match


def apply_strategic_merge_patch(document: Document, patch: Any, schema: StructSchema) -> Document:
    """Return the document after merging a decoded patch. Document and patch are not modified.

    `schema` describes the document, and has the merge keys of its lists. Raises PatchError: 400 for a malformed patch
    or directive, 500 if the types of lists or items do not match.
    """
    return _merge(document, _own(patch), schema)


def quoted_strategic_patch(document: Document, patch: Any, schema: StructSchema) -> str:
    """Return what is left of a patch after it was merged, as text in the format of Go's ``%v``.

    Merging removes the directives and the lists that it has processed. Error messages quote the rest if the merged
    object cannot be decoded. `schema` describes the document into which the patch is merged.
    """
    rest = _own(patch)
    _merge(document, rest, schema)
    return go_text(rest)


def _own(patch: Any) -> Document:
    if patch is None:
        return {}
    if not isinstance(patch, dict):
        raise bad_request(f"json: cannot unmarshal {json_type(patch)} into Go value of type map[string]interface {{}}")
    return {key: _copied(value) for key, value in patch.items()}


def _copied(value: Any) -> Any:
    """Return a deep copy of JSON data."""
    if isinstance(value, dict):
        return {key: _copied(member) for key, member in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list) else value


def _merge(original: Document | None, patch: Document, schema: Schema) -> Document:
    if DIRECTIVE in patch:
        return _directed(patch)
    merged = dict(original or {})
    if not any(map(_MAY_DIRECT, patch)):
        for key, value in patch.items():
            _merge_value(merged, key, value, schema, deletes=False)
        return merged
    _retain_keys(merged, patch)
    for key in [key for key in patch if key.startswith(ORDER)]:
        _merge_ordered(merged, patch, key, schema)
    # As in Kubernetes, the other fields are processed in the order of the request body: if several have errors, the
    # first error in this order is reported.
    for key in list(patch):
        deletes = key.startswith(DELETE_FROM_LIST)
        name = directive_key(key, DELETE_FROM_LIST) if deletes else key
        _merge_value(merged, name, patch[key], schema, deletes=deletes)
    return merged


def _directed(patch: Document) -> Document:
    directive = patch[DIRECTIVE]
    if directive == "replace":
        del patch[DIRECTIVE]
        return patch
    if directive == "delete":
        return {}
    raise unknown_directive(directive, patch)


def _retain_keys(merged: Document, patch: Document) -> None:
    if RETAIN_KEYS not in patch:
        return
    keys = patch.pop(RETAIN_KEYS)
    if not isinstance(keys, list):
        raise bad_request("invalid patch format of retainKeys")
    for key, value in patch.items():
        if value is not None and key not in keys and not key.startswith((DELETE_FROM_LIST, ORDER)):
            raise bad_request("invalid patch format of retainKeys")
    for key in list(merged):
        if key not in keys:
            del merged[key]


def _merge_ordered(merged: Document, patch: Document, directive: str, schema: Schema) -> None:
    """Merge a list of the patch into the list in `merged`, and sort the result by a ``$setElementOrder`` directive.

    `directive` is the directive's key in the patch, and `schema` describes the object that contains the list. The list
    and the directive are removed from the patch.
    """
    order = check_list(patch.pop(directive))
    key = directive_key(directive, ORDER)
    original = check_list(merged[key]) if key in merged else None
    items = check_list(patch[key]) if key in patch else None
    field = _list_field(schema, key)
    merge_key = field.merge_key or ""
    validate_order(items or [], order, merge_key)
    if items is None:
        result = original
    elif original is None:
        result = _without_directives(items)
    else:
        result = _merged_list(original, items, field, deletes=False)
    if result is not None:
        merged[key] = ordered(result, order, original or [], items or [], merge_key)
        patch.pop(key, None)


def _merge_value(merged: Document, key: str, value: Any, schema: Schema, *, deletes: bool) -> None:
    if value is None:
        merged.pop(key, None)
    elif key not in merged or _changes_type(merged[key], value):
        if not deletes:
            _set_new(merged, key, value)
    elif isinstance(value, dict):
        field = _field(schema, key)
        merged[key] = value if field.replace else _merge(merged[key], value, field.schema)
    elif isinstance(value, list):
        merged[key] = _merged_list(merged[key], value, _list_field(schema, key), deletes)
    else:
        merged[key] = value


def _changes_type(old: Any, new: Any) -> bool:
    if type(old) is type(new) and type(new) is not int:
        return False
    return go_type(old) != go_type(new)


def _set_new(merged: Document, key: str, value: Any) -> None:
    _discard_nulls(value)
    if isinstance(value, dict) and DIRECTIVE in value:
        merged.pop(key, None)
    else:
        merged[key] = _without_directives(value)


def _merged_list(original: list[Any], patch: list[Any], field: FieldSchema, deletes: bool) -> list[Any]:
    if field.merge_key is None and not deletes:
        return patch
    if not original and not patch:
        return original
    items = field.schema.items if isinstance(field.schema, ListSchema) else field.schema
    return merged_items(original, patch, field.merge_key or "", deletes, lambda one, other: _merge(one, other, items))


def _field(schema: Schema, key: str) -> FieldSchema:
    if isinstance(schema, MapSchema):
        raise internal("merging an object in json but data type is not struct, instead is: map")
    fields = schema.fields if isinstance(schema, StructSchema) else {}
    field = fields.get(key) or next((f for name, f in fields.items() if name.lower() == key.lower()), None)
    if field is None:
        name = schema.name.rpartition(".")[2]
        raise internal(f'unable to find api field in struct {name} for the json field "{key}"')
    return field


def _list_field(schema: Schema, key: str) -> FieldSchema:
    """Return the field `key`, whose value in the patch is a list. As in Kubernetes, it may also be a Go pointer."""
    field = _field(schema, key)
    if not (isinstance(field.schema, ListSchema) or field.pointer):
        raise internal("expected slice or array type, but got: struct")
    return field


def _discard_nulls(value: Any) -> None:
    if isinstance(value, dict):
        for key in [key for key, item in value.items() if item is None]:
            del value[key]
        for item in value.values():
            _discard_nulls(item)
    elif isinstance(value, list):
        for item in value:
            _discard_nulls(item)


def _without_directives(value: Any) -> Any:
    """Return a value of the patch that the document does not have yet, without the objects with a ``$patch`` directive.

    These objects are left out because the document has no value to which their directive could apply. As in Kubernetes,
    they are also removed from the patch itself if a field contains them, but not if they are list items.
    """
    if isinstance(value, dict):
        for key, item in list(value.items()):
            if isinstance(item, dict) and DIRECTIVE in item:
                del value[key]
            else:
                value[key] = _without_directives(item)
        return value
    if isinstance(value, list):
        return [_without_directives(item) for item in value if not (isinstance(item, dict) and DIRECTIVE in item)]
    return value
