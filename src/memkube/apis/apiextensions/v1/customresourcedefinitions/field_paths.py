"""Validation of ``selectableFields`` in CustomResourceDefinitions (``ValidateCustomResourceSelectableFields``)."""

from collections.abc import Sequence
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, duplicate, invalid, required, too_many
from memkube.apimachinery.model import Document
from memkube.apimachinery.structural.field_paths import find_field
from memkube.apis.apiextensions.v1.customresourcedefinitions.types import SelectableField

_SELECTABLE: Final = ("string", "boolean", "integer")
_MOST_SELECTABLE: Final = 8


def validate_selectable(fields: Sequence[SelectableField], schema: Document, path: FieldPath) -> list[FieldError]:
    """Validate selectable fields: at most 8, each the unique path of a scalar field in the schema."""
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, field in enumerate(fields):
        json_path, written = path.item(index).child("jsonPath"), field.jsonPath
        if not written:
            errors.append(required(json_path))
            continue
        try:
            found = find_field(schema, written, brackets=False)
        except ValueError as error:
            errors.append(invalid(json_path, written, f"is an invalid path: {error}"))
            continue
        if found.root == "metadata":
            errors.append(invalid(json_path, written, "must not point to fields in metadata"))
        if found.schema is None or found.schema.get("type") not in _SELECTABLE:
            why = "must point to a field of type string, boolean or integer."
            allowed = "Enum string fields and strings with formats are allowed."
            errors.append(invalid(json_path, written, f"{why} {allowed}"))
        if found.path in seen:
            errors.append(duplicate(json_path, written))
        seen.add(found.path)
    if len(seen) > _MOST_SELECTABLE:
        errors.append(too_many(path, len(seen), _MOST_SELECTABLE))
    return errors
