"""Validation of the options of write requests, such as dryRun, fieldManager and propagationPolicy.

Source: apimachinery's ``apis/meta/v1/validation``.
"""

from collections.abc import Sequence
from typing import Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    forbidden,
    invalid,
    invalid_typed,
    not_supported,
    not_supported_string,
    required,
)
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.meta.validation.object_meta import validate_field_manager

_PROPAGATION: Final = ("Foreground", "Background", "Orphan")
_FIELD_VALIDATION: Final = ("", "Ignore", "Strict", "Warn")


def validate_dry_run(values: Sequence[str], path: FieldPath) -> list[FieldError]:
    """Validate that each value of the option dryRun is ``All``."""
    return [] if all(value == "All" for value in values) else [not_supported(path, list(values), ("All",))]


def validate_field_validation(value: str, path: FieldPath) -> list[FieldError]:
    """Validate that the option fieldValidation is empty, Ignore, Warn or Strict."""
    return [] if value in _FIELD_VALIDATION else [not_supported_string(path, value, _FIELD_VALIDATION)]


def validate_write_options(field_manager: str, dry_run: Sequence[str], field_validation: str) -> list[FieldError]:
    """Validate the options fieldManager, dryRun and fieldValidation of a create or update."""
    errors = validate_field_manager(field_manager, FieldPath("fieldManager"))
    errors += validate_dry_run(dry_run, FieldPath("dryRun"))
    return errors + validate_field_validation(field_validation, FieldPath("fieldValidation"))


def validate_patch_force(is_apply: bool, field_manager: str, force: bool | None) -> list[FieldError]:
    """Validate the options fieldManager and force: apply requires a field manager, and only apply allows force."""
    if is_apply:
        return [] if field_manager else [required(FieldPath("fieldManager"), "is required for apply patch")]
    return [] if force is None else [forbidden(FieldPath("force"), "may not be specified for non-apply patch")]


def validate_delete_options(options: DeleteOptions) -> list[FieldError]:
    """Validate that the options of a delete do not contradict each other."""
    policy, path = options.propagationPolicy, FieldPath("propagationPolicy")
    errors: list[FieldError] = []
    if options.orphanDependents is not None and policy is not None:
        errors.append(invalid_typed(path, policy, "orphanDependents and deletionPropagation cannot be both set"))
    if policy is not None and policy not in _PROPAGATION:
        errors.append(not_supported(path, policy, (*_PROPAGATION, "nil")))
    errors += validate_dry_run(options.dryRun, FieldPath("dryRun"))
    if options.ignoreStoreReadErrorWithClusterBreakingPotential:
        errors += _unsafe_delete_errors(options)
    return errors


def _unsafe_delete_errors(options: DeleteOptions) -> list[FieldError]:
    path = FieldPath("ignoreStoreReadErrorWithClusterBreakingPotential")
    others = ("dryRun", "propagationPolicy", "orphanDependents", "gracePeriodSeconds", "preconditions")
    return [
        invalid(path, True, f"cannot be set together with .{name}")
        for name in others
        if getattr(options, name) not in (None, [])
    ]
