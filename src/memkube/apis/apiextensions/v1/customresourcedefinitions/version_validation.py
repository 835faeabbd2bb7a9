"""Validation of one API version of a CustomResourceDefinition: schema, scale, columns and selectable fields."""

from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, required
from memkube.apimachinery.shown_values import TypedString
from memkube.apimachinery.structural.rules import unsupported_keyword
from memkube.apis.apiextensions.v1.customresourcedefinitions.field_paths import validate_selectable
from memkube.apis.apiextensions.v1.customresourcedefinitions.internal import VersionPart
from memkube.apis.apiextensions.v1.customresourcedefinitions.schema_validation import validate_schema
from memkube.apis.apiextensions.v1.customresourcedefinitions.types import (
    CustomResourceColumnDefinition,
    CustomResourceSubresourceScale,
)

_COLUMN_TYPES: Final = ("boolean", "date", "integer", "number", "string")
_COLUMN_FORMATS: Final = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")


def validate_part(
    part: VersionPart, has_status: bool, path: FieldPath, *, any_cost: bool, is_common: bool = False
) -> list[FieldError]:
    """Validate schema, scale, printer columns and selectable fields of one API version, or those of all versions.

    `has_status` is true if the version has a status subresource. `any_cost` is true for schemas that an update does not
    change: the cost of a single CEL rule is then not limited. `is_common` is true if `part` has the settings that all
    versions share. As in kube-apiserver, errors then name the fields of the internal version, such as
    ``spec.validation`` instead of ``spec.versions[0].schema``.
    """
    errors: list[FieldError] = []
    schema_name = "validation" if is_common else "schema"
    schema = None if part.schema is None else part.schema.to_document()
    if schema is not None:
        schema_path = path.child(schema_name).child("openAPIV3Schema")
        errors += validate_schema(schema, has_status, schema_path, any_cost=any_cost)
    if part.subresources is not None and part.subresources.scale is not None:
        errors += _validate_scale(part.subresources.scale, path.child("subresources"))
    for index, column in enumerate(part.columns):
        errors += _validate_column(column, path.child("additionalPrinterColumns").item(index))
    if part.selectable:
        fields_path = path.child("selectableFields")
        if schema is None:
            per_version = "may only be set when `version.schema.openAPIV3Schema` is not included"
            common = "may only be set when validations.schema is included"
            errors.append(invalid(fields_path, "", common if is_common else per_version))
        else:
            if why := unsupported_keyword(schema):
                errors.append(invalid(path.child("schema.openAPIV3Schema"), "", why))
            errors += validate_selectable(part.selectable, schema, fields_path)
    return errors


def _validate_scale(scale: CustomResourceSubresourceScale, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    for name, value, below in (
        ("specReplicasPath", scale.specReplicasPath, ".spec"),
        ("statusReplicasPath", scale.statusReplicasPath, ".status"),
    ):
        field_path = path.child(f"scale.{name}")
        if not value:
            errors.append(required(field_path))
        elif not value.startswith("."):
            errors.append(invalid(field_path, value, "must be a simple json path starting with ."))
        elif not value.startswith(f"{below}."):
            errors.append(invalid(field_path, value, f"should be a json path under {below}"))
    selector, field_path = scale.labelSelectorPath, path.child("scale.labelSelectorPath")
    if selector and not selector.startswith("."):
        errors.append(invalid(field_path, selector, "must be a simple json path starting with ."))
    elif selector and not selector.startswith((".spec.", ".status.")):
        errors.append(invalid(field_path, TypedString(selector), "should be a json path under either .spec or .status"))
    return errors


def _validate_column(column: CustomResourceColumnDefinition, path: FieldPath) -> list[FieldError]:
    errors = [] if column.name else [required(path.child("name"))]
    types = f"must be one of {','.join(_COLUMN_TYPES)}"
    if not column.type:
        errors.append(required(path.child("type"), types))
    elif column.type not in _COLUMN_TYPES:
        errors.append(invalid(path.child("type"), column.type, types))
    if column.format and column.format not in _COLUMN_FORMATS:
        why = f"must be one of {','.join(_COLUMN_FORMATS)}"
        errors.append(invalid(path.child("format"), column.format, why))
    json_path = path.child("JSONPath")
    if not column.jsonPath:
        errors.append(required(json_path))
    elif not column.jsonPath.startswith("."):
        errors.append(invalid(json_path, column.jsonPath, "must be a simple json path starting with ."))
    return errors
