"""CustomResourceDefinitions in kube-apiserver's internal version.

In the internal version, settings that are the same in all API versions are at the top level of the spec. Error messages
have the field paths of the internal version, even if the client sent the settings in each version
(``pkg/apis/apiextensions/v1/conversion.go``).
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from memkube.apimachinery.field_facts import go_package
from memkube.apimachinery.model import ApiModel, Document
from memkube.apimachinery.shown_values import InternalStruct, InternalStructs, InternalValue
from memkube.apis.apiextensions.v1 import GO_PACKAGE
from memkube.apis.apiextensions.v1.customresourcedefinitions.json_schema import ReadSchema
from memkube.apis.apiextensions.v1.customresourcedefinitions.types import (
    CustomResourceColumnDefinition,
    CustomResourceDefinitionSpec,
    CustomResourceDefinitionVersion,
    CustomResourceSubresources,
    CustomResourceValidation,
    SelectableField,
)

_SCHEMA: Final = "JSONSchemaProps"
_RULE: Final = ("Rule", "Message", "MessageExpression", "Reason", "FieldPath", "OptionalOldSelf")


class VersionPart(NamedTuple):
    """Schema, subresources, printer columns and selectable fields in a CustomResourceDefinition.

    They belong to one API version, or are shared by all versions.
    """

    validation: CustomResourceValidation | None
    subresources: CustomResourceSubresources | None
    columns: Sequence[CustomResourceColumnDefinition]
    selectable: Sequence[SelectableField]

    @property
    def schema(self) -> ReadSchema | None:
        """OpenAPI schema of this API version, or of all versions; None if `validation` has no schema."""
        return None if self.validation is None else self.validation.openAPIV3Schema

    @property
    def has_status(self) -> bool:
        """True if the status subresource is enabled for this API version, or for all versions."""
        return self.subresources is not None and self.subresources.status is not None


class InternalSpec(NamedTuple):
    """Spec of a CustomResourceDefinition in kube-apiserver's internal version.

    `common` has the settings that all API versions share, and `own` the settings of each version.
    """

    common: VersionPart
    own: Sequence[VersionPart]
    versions: Sequence[CustomResourceDefinitionVersion]
    """API versions of the CustomResourceDefinition, as error messages print them."""


_NOTHING: Final = VersionPart(None, None, (), ())


def internal_spec(spec: CustomResourceDefinitionSpec) -> InternalSpec:
    """Convert the spec of a CustomResourceDefinition to kube-apiserver's internal version."""
    parts = [_part(version) for version in spec.versions]
    if not parts:
        return InternalSpec(_NOTHING, (), ())
    alike = [_all_equal(values) for values in zip(*parts, strict=True)]
    common = _chosen(parts[0], alike)
    own = [_chosen(part, [not found for found in alike]) for part in parts]
    return InternalSpec(common, own, [_shown(*pair) for pair in zip(spec.versions, own, strict=True)])


def _part(version: CustomResourceDefinitionVersion) -> VersionPart:
    return VersionPart(
        version.schema_, version.subresources, version.additionalPrinterColumns, version.selectableFields
    )


def _chosen(part: VersionPart, wanted: Sequence[bool]) -> VersionPart:
    values: list[Any] = [value if chosen else None for value, chosen in zip(part, wanted, strict=True)]
    return VersionPart(values[0], values[1], values[2] or (), values[3] or ())


def _document(value: Any) -> Any:
    if isinstance(value, ApiModel):
        return value.to_document()
    return [item.to_document() for item in value] if isinstance(value, list) else value


def _all_equal(values: Sequence[Any]) -> bool:
    first = _document(values[0])
    return all(_document(value) == first for value in values[1:])


def _shown(version: CustomResourceDefinitionVersion, own: VersionPart) -> CustomResourceDefinitionVersion:
    document = version.to_document()
    for name, value in zip(
        ("schema", "subresources", "additionalPrinterColumns", "selectableFields"), own, strict=True
    ):
        if not value:
            document.pop(name, None)
    return CustomResourceDefinitionVersion.from_document(document)


def shown_versions(spec: CustomResourceDefinitionSpec, internal: InternalSpec) -> InternalValue | None:
    """Return ``spec.versions`` of a CustomResourceDefinition as error messages print it.

    `internal` is the same spec in kube-apiserver's internal version, in whose form the versions are printed.
    Returns None if the field is absent, because kube-apiserver prints an absent field differently from an empty list.
    """
    structs: InternalStructs = {CustomResourceValidation: _shown_validation}
    return InternalValue(list(internal.versions) or (), structs) if "versions" in spec.model_fields_set else None


def _shown_validation(validation: CustomResourceValidation) -> InternalStruct:
    schema = validation.openAPIV3Schema
    return InternalStruct((("OpenAPIV3Schema", None if schema is None else internal_schema(schema)),))


def internal_schema(schema: Document) -> InternalStruct:
    """Return an OpenAPI schema as error messages print it: a Go struct of kube-apiserver's internal version."""
    package = go_package(GO_PACKAGE)
    wire_names = {facts.go_name: facts.name for facts in package.fields(_SCHEMA)}
    names = [name for name, _ in package.internal_fields(_SCHEMA)]
    return InternalStruct(tuple((name, _internal(name, schema.get(wire_names[name]))) for name in names))


def _internal(name: str, value: Any) -> Any:
    match name:
        case "ID" | "Schema" | "Description" | "Type" | "Format" | "Title" | "Pattern":
            return value or ""
        case (
            "Nullable" | "ExclusiveMaximum" | "ExclusiveMinimum" | "UniqueItems" | "XEmbeddedResource" | "XIntOrString"
        ):
            return bool(value)
        case "Not":
            return None if value is None else internal_schema(value)
        case "AllOf" | "OneOf" | "AnyOf":
            return None if value is None else [internal_schema(item) for item in value]
        case "Dependencies":
            return None if value is None else {key: _dependency(value[key]) for key in sorted(value)}
        case "Properties" | "PatternProperties" | "Definitions":
            return None if value is None else {key: internal_schema(value[key]) for key in sorted(value)}
        case "AdditionalProperties" | "AdditionalItems":
            return None if value is None else _either(("Allows", value is not False), value)
        case "ExternalDocs":
            docs = value or {}
            fields = (("Description", docs.get("description", "")), ("URL", docs.get("url", "")))
            return None if value is None else InternalStruct(fields)
        case "Items":
            several = [internal_schema(item) for item in value] if isinstance(value, list) else None
            return None if value is None else _either(None, value, ("JSONSchemas", several))
        case "XValidations":
            return None if value is None else [internal_rule(rule) for rule in value]
    return value


def internal_rule(rule: Document) -> InternalStruct:
    """Return a CEL validation rule as error messages print it: a Go struct of kube-apiserver's internal version."""
    texts = {"Rule", "Message", "MessageExpression", "FieldPath"}
    values = ((name, rule.get(name[0].lower() + name[1:])) for name in _RULE)
    return InternalStruct(tuple((name, value or "" if name in texts else value) for name, value in values))


def _dependency(value: Any) -> InternalStruct:
    needed = value if isinstance(value, list) else None
    return _either(None, value, ("Property", needed))


def _either(before: tuple[str, Any] | None, value: Any, after: tuple[str, Any] | None = None) -> InternalStruct:
    schema = ("Schema", internal_schema(value) if isinstance(value, dict) else None)
    return InternalStruct(tuple(field for field in (before, schema, after) if field is not None))
