"""Validation of CustomResourceDefinitions (apiextensions ``pkg/apis/apiextensions/validation/validation.go``).

kube-apiserver's exceptions for definitions stored by older API servers are omitted, since memkube has no such objects.
"""

from collections.abc import Sequence
from typing import Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    invalid,
    not_supported_string,
    required,
)
from memkube.apimachinery.meta.v1.api_object import ObjectMeta
from memkube.apimachinery.meta.validation.object_meta import (
    validate_immutable,
    validate_object_meta,
    validate_object_meta_update,
)
from memkube.apimachinery.names import is_dns1035_label, is_dns1123_subdomain, subdomain_name
from memkube.apimachinery.shown_values import TypedString
from memkube.apimachinery.structural.keywords import schemas_within
from memkube.apis.apiextensions.v1.customresourcedefinitions.approval import validate_approval
from memkube.apis.apiextensions.v1.customresourcedefinitions.conversion_validation import (
    has_invalid_bundle,
    validate_conversion,
)
from memkube.apis.apiextensions.v1.customresourcedefinitions.internal import (
    InternalSpec,
    internal_spec,
    shown_versions,
)
from memkube.apis.apiextensions.v1.customresourcedefinitions.types import (
    CustomResourceDefinition,
    CustomResourceDefinitionNames,
    CustomResourceDefinitionSpec,
)
from memkube.apis.apiextensions.v1.customresourcedefinitions.version_validation import validate_part

_SPEC: Final = FieldPath("spec")
_STORED: Final = FieldPath("status").child("storedVersions")
_LONGEST_WARNING: Final = 256


def validate_definition(definition: CustomResourceDefinition) -> list[FieldError]:
    """Validate a new CustomResourceDefinition: spec, status and approval. Its name must be PLURAL.GROUP."""
    names, group = definition.spec.names, definition.spec.group

    def name_rule(name: str, is_prefix: bool = False) -> list[str]:
        wrong = subdomain_name(name, is_prefix)
        return wrong if name == f"{names.plural}.{group}" else [*wrong, 'must be spec.names.plural+"."+spec.group']

    errors = validate_object_meta(definition.metadata, name_rule, namespaced=False)
    errors += _validate_spec(definition.spec, any_bundle=True)
    return errors + _validate_status_and_approval(definition, None)


def validate_definition_update(new: CustomResourceDefinition, old: CustomResourceDefinition) -> list[FieldError]:
    """Validate an update of a CustomResourceDefinition.

    Group and plural name are immutable. Once the CustomResourceDefinition is established, scope and kind are immutable
    too.
    """
    established = is_true(old, "Established")
    errors = validate_object_meta_update(new.metadata, old.metadata)
    unchanged = _unchanged_schemas(new.spec, old.spec)
    any_bundle = not established or has_invalid_bundle(old.spec)
    errors += _validate_spec(new.spec, any_bundle=any_bundle, unchanged=unchanged)
    if established:
        errors += validate_immutable(new.spec.scope, old.spec.scope, _SPEC.child("scope"))
        errors += validate_immutable(new.spec.names.kind, old.spec.names.kind, _SPEC.child("names").child("kind"))
    errors += validate_immutable(new.spec.group, old.spec.group, _SPEC.child("group"))
    plural = _SPEC.child("names").child("plural")
    errors += validate_immutable(new.spec.names.plural, old.spec.names.plural, plural)
    return errors + _validate_status_and_approval(new, old.metadata)


def validate_definition_status_update(new: CustomResourceDefinition, old: CustomResourceDefinition) -> list[FieldError]:
    """Validate the updated status of a CustomResourceDefinition: its metadata and the accepted names."""
    errors = validate_object_meta_update(new.metadata, old.metadata)
    return errors + _validate_names(new.status.acceptedNames, FieldPath("status").child("acceptedNames"))


def is_true(definition: CustomResourceDefinition, condition: str) -> bool:
    """True if the condition of type `condition` of a CustomResourceDefinition has the status True."""
    return any(c.type == condition and c.status == "True" for c in definition.status.conditions)


def _validate_status_and_approval(definition: CustomResourceDefinition, old: ObjectMeta | None) -> list[FieldError]:
    spec, status = definition.spec, definition.status
    errors = _validate_names(status.acceptedNames, FieldPath("status").child("acceptedNames"))
    errors += _validate_stored_versions(status.storedVersions, spec)
    errors += validate_approval(spec.group, definition.metadata, old)
    if spec.preserveUnknownFields:
        why = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"
        errors.append(invalid(_SPEC.child("preserveUnknownFields"), True, why))
    return errors


def _validate_stored_versions(stored: Sequence[str], spec: CustomResourceDefinitionSpec) -> list[FieldError]:
    if not stored:
        return [invalid(_STORED, None, "must have at least one stored version")]
    names = [version.name for version in spec.versions]
    # If several versions have the same name, kube-apiserver looks for only the first of them in storedVersions.
    errors = [
        invalid(_STORED, list(stored), f"must have the storage version {version.name}")
        for index, version in enumerate(spec.versions)
        if version.is_storage and (version.name not in stored or version.name in names[:index])
    ]
    for index, name in enumerate(stored):
        if name not in names:
            why = (
                f"missing from spec.versions; {name} was previously a storage version, and must remain in "
                "spec.versions until a storage migration ensures no data remains persisted in "
                f"{name} and removes {name} from status.storedVersions"
            )
            errors.append(invalid(_STORED.item(index), name, why))
    return errors


def _unchanged_schemas(new: CustomResourceDefinitionSpec, old: CustomResourceDefinitionSpec) -> frozenset[str]:
    """Return the names of the API versions whose schema an update of a CustomResourceDefinition does not change."""
    before = {version.name: version.schema_ for version in old.versions}
    return frozenset(
        version.name for version in new.versions if version.name in before and version.schema_ == before[version.name]
    )


def _validate_spec(
    spec: CustomResourceDefinitionSpec, *, any_bundle: bool, unchanged: frozenset[str] = frozenset()
) -> list[FieldError]:
    internal = internal_spec(spec)
    errors = _validate_group(spec.group) + _validate_scope(spec.scope)
    if internal.common.schema is None:
        for index, part in enumerate(internal.own):
            if part.schema is None:
                path = _SPEC.child("versions").item(index).child("schema").child("openAPIV3Schema")
                errors.append(required(path))
    if spec.preserveUnknownFields and _has_defaults(internal):
        why = "must be false in order to use defaults in the schema"
        errors.append(invalid(_SPEC.child("preserveUnknownFields"), True, why))
    per_version = any(own.subresources for own in internal.own)
    by_name = {version.name: part for version, part in reversed([*zip(spec.versions, internal.own, strict=True)])}
    for index, (version, part) in enumerate(zip(spec.versions, internal.own, strict=True)):
        path = _SPEC.child("versions").item(index)
        if wrong := is_dns1035_label(version.name):
            errors.append(invalid(path.child("name"), version.name, ",".join(wrong)))
        warning = path.child("deprecationWarning")
        warned = TypedString(version.deprecationWarning or "")
        errors += [
            invalid(warning, warned, why) for why in _warning_errors(version.deprecated, version.deprecationWarning)
        ]
        has_status = (by_name[version.name] if per_version else internal.common).has_status
        errors += validate_part(part, has_status, path, any_cost=version.name in unchanged)
    shown = shown_versions(spec, internal)
    versions = _SPEC.child("versions")
    names = [version.name for version in spec.versions]
    if len(set(names)) < len(names):
        errors.append(invalid(versions, shown, "must contain unique version names"))
    if sum(version.is_storage for version in spec.versions) != 1:
        errors.append(invalid(versions, shown, "must have exactly one version marked as storage version"))
    if names and names[0] and (wrong := is_dns1035_label(names[0])):
        errors.append(invalid(_SPEC.child("version"), names[0], ",".join(wrong)))
    for name in ("plural", "singular", "kind", "listKind"):
        if not getattr(spec.names, name):
            errors.append(required(_SPEC.child("names").child(name)))
    errors += _validate_names(spec.names, _SPEC.child("names"))
    any_status = any(part.has_status for part in (internal.common, *internal.own))
    any_cost = bool(names) and names[0] in unchanged
    errors += validate_part(internal.common, any_status, _SPEC, any_cost=any_cost, is_common=True)
    return errors + _validate_conversion(spec, any_bundle)


def _validate_conversion(spec: CustomResourceDefinitionSpec, any_bundle: bool) -> list[FieldError]:
    conversion, path = spec.conversion, _SPEC.child("conversion")
    errors: list[FieldError] = []
    if conversion is not None and conversion.strategy != "None" and spec.preserveUnknownFields:
        why = "must be None if spec.preserveUnknownFields is true"
        errors.append(invalid(path.child("strategy"), TypedString(conversion.strategy), why))
    return errors + validate_conversion(conversion, any_bundle, path)


def _has_defaults(internal: InternalSpec) -> bool:
    schemas = [part.schema.to_document() for part in (internal.common, *internal.own) if part.schema is not None]
    return any("default" in node for schema in schemas for node in schemas_within(schema))


def _validate_group(group: str) -> list[FieldError]:
    path = _SPEC.child("group")
    if not group:
        return [required(path)]
    if wrong := is_dns1123_subdomain(group):
        return [invalid(path, group, ",".join(wrong))]
    return [] if "." in group else [invalid(path, group, "should be a domain with at least one dot")]


def _validate_scope(scope: str) -> list[FieldError]:
    path = _SPEC.child("scope")
    if not scope:
        return [required(path)]
    scopes = ("Cluster", "Namespaced")
    return [] if scope in scopes else [not_supported_string(path, scope, scopes)]


def _warning_errors(deprecated: bool, warning: str | None) -> list[str]:
    if warning is None:
        return []
    if not deprecated:
        return ["can only be set for deprecated versions"]
    faults = []
    if len(warning.encode()) > _LONGEST_WARNING:
        faults.append("must be <= 256 characters long")
    if not warning:
        faults.append("must not be an empty string")
    for index, character in enumerate(warning):
        if not character.isprintable():
            byte_index = len(warning[:index].encode())
            what = f"non-printable character found at index {byte_index}"
            faults.append(f"must only contain printable UTF-8 characters; {what}")
            break
    return faults


def _validate_names(names: CustomResourceDefinitionNames, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    for name in ("plural", "singular"):
        value = getattr(names, name)
        if value and (wrong := is_dns1035_label(value)):
            errors.append(invalid(path.child(name), value, ",".join(wrong)))
    for name in ("kind", "listKind"):
        value = getattr(names, name)
        if value and (wrong := is_dns1035_label(value.lower())):
            why = f"may have mixed case, but should otherwise match: {','.join(wrong)}"
            errors.append(invalid(path.child(name), value, why))
    errors += _validate_labels(names.shortNames, path.child("shortNames"))
    if names.kind and names.kind == names.listKind:
        errors.append(invalid(path.child("listKind"), names.listKind, "kind and listKind may not be the same"))
    return errors + _validate_labels(names.categories, path.child("categories"))


def _validate_labels(names: Sequence[str], path: FieldPath) -> list[FieldError]:
    found = ((index, name, is_dns1035_label(name)) for index, name in enumerate(names))
    return [invalid(path.item(index), name, ",".join(wrong)) for index, name, wrong in found if wrong]
