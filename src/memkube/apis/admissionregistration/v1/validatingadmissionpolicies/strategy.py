"""Rules for writing ValidatingAdmissionPolicies and their bindings: defaults, validation and status.

Source of the rules: ``pkg/apis/admissionregistration/validation``.
"""

import re
from collections.abc import Sequence
from typing import ClassVar, Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, duplicate, invalid, not_supported, required
from memkube.apimachinery.json_path import JsonPath
from memkube.apimachinery.meta.validation.conditions import validate_conditions
from memkube.apimachinery.meta.validation.labels import validate_label_name
from memkube.apimachinery.meta.validation.object_meta import validate_object_meta
from memkube.apimachinery.names import subdomain_name
from memkube.apimachinery.shown_values import TypedString
from memkube.apis.admissionregistration.v1.rules.defaults import default_match_resources
from memkube.apis.admissionregistration.v1.rules.expressions import ANNOTATION, CONDITION, MESSAGE, Expressions
from memkube.apis.admissionregistration.v1.rules.param_access import ParamKindAccess, ParamRefAccess
from memkube.apis.admissionregistration.v1.rules.policies import default_policy, validate_subject
from memkube.apis.admissionregistration.v1.rules.strategy import GenerationStrategy
from memkube.apis.admissionregistration.v1.rules.validation import (
    one_of,
    static_name_warnings,
    validate_match_resources,
    validate_param_ref,
    validate_variables,
)
from memkube.apis.admissionregistration.v1.validatingadmissionpolicies.types import (
    AuditAnnotation,
    TypeChecking,
    ValidatingAdmissionPolicy,
    ValidatingAdmissionPolicyBinding,
    ValidatingAdmissionPolicySpec,
    Validation,
)
from memkube.apis.core.v1.metadata import reset_metadata_for_status
from memkube.registry.declarations.interface import Finish, Stores
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.strategy import FieldPaths, SpecStrategy, StatusStrategy

_SPEC: Final = FieldPath("spec")
_STATUS: Final = FieldPath("status")
_REASONS: Final = ("Forbidden", "Invalid", "RequestEntityTooLarge")
_ACTIONS: Final = ("Audit", "Deny", "Warn")
_MOST_ANNOTATIONS: Final = 20
_LONGEST_VALUE_EXPRESSION: Final = 5 * 1024
_NOTHING: Final = "validations or auditAnnotations must contain at least one item"
_line_break: Final = re.compile(r"[\n\r]")


def validate_policy(
    policy: ValidatingAdmissionPolicy, old: ValidatingAdmissionPolicy | None = None
) -> list[FieldError]:
    """Validate a ValidatingAdmissionPolicy: match constraints, variables, validations and audit annotations.

    Match conditions that have not changed since `old` are not checked again.
    """
    spec = policy.spec
    errors = validate_object_meta(policy.metadata, subdomain_name, namespaced=False)
    errors += validate_subject(spec, old.spec if old else None)
    expressions = Expressions(spec.paramKind is not None, {} if spec.variables else None)
    errors += validate_variables(spec.variables, expressions, _SPEC.child("variables"))
    return errors + _validate_validations(spec, expressions, policy.metadata.name)


def _validate_validations(spec: ValidatingAdmissionPolicySpec, expressions: Expressions, name: str) -> list[FieldError]:
    validations, annotations = _SPEC.child("validations"), _SPEC.child("auditAnnotations")
    if not spec.validations and not spec.auditAnnotations:
        return [required(validations, _NOTHING), required(annotations, _NOTHING)]
    errors: list[FieldError] = []
    for index, validation in enumerate(spec.validations):
        errors += _validate_validation(validation, expressions, validations.item(index))
    if len(spec.auditAnnotations) > _MOST_ANNOTATIONS:
        why = f"must not have more than {_MOST_ANNOTATIONS} auditAnnotations"
        errors.append(invalid(annotations, spec.auditAnnotations, why))
    keys: set[str] = set()
    for index, annotation in enumerate(spec.auditAnnotations):
        item = annotations.item(index)
        errors += _validate_annotation(annotation, expressions, name, item)
        if annotation.key in keys:
            errors.append(duplicate(item.child("key"), annotation.key))
        keys.add(annotation.key)
    return errors


def _validate_validation(validation: Validation, expressions: Expressions, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    if validation.expression.strip():
        errors += expressions.validate(validation.expression, path.child("expression"), CONDITION)
    else:
        errors.append(required(path.child("expression"), "expression is not specified"))
    message = validation.messageExpression
    if message.strip():
        errors += expressions.validate(message, path.child("messageExpression"), MESSAGE, authorizer=False)
    elif message:
        errors.append(invalid(path.child("messageExpression"), message, "must be non-empty if specified"))
    if validation.message and not validation.message.strip():
        errors.append(invalid(path.child("message"), validation.message, "must be non-empty if specified"))
    if _line_break.search(validation.message.strip()):
        errors.append(invalid(path.child("message"), validation.message, "must not contain line breaks"))
    return errors + one_of(validation.reason, _REASONS, path.child("reason"), needed=False)


def _validate_annotation(
    annotation: AuditAnnotation, expressions: Expressions, policy: str, path: FieldPath
) -> list[FieldError]:
    key, value = path.child("key"), path.child("valueExpression")
    if policy:
        errors = validate_label_name(f"{policy}/{annotation.key}", key)
    else:
        errors = [invalid(key, annotation.key, "requires metadata.name be non-empty")]
    expression = annotation.valueExpression.strip()
    if not expression:
        errors.append(required(value, "valueExpression is not specified"))
    elif len(expression.encode()) > _LONGEST_VALUE_EXPRESSION:
        errors.append(required(value, f"must not exceed {_LONGEST_VALUE_EXPRESSION} bytes in length"))
    else:
        errors += expressions.validate(expression, value, ANNOTATION, shown=annotation.valueExpression)
    return errors


def validate_policy_status(policy: ValidatingAdmissionPolicy) -> list[FieldError]:
    """Validate the status of a ValidatingAdmissionPolicy: type checking warnings and conditions."""
    checked = policy.status.typeChecking or TypeChecking()
    errors: list[FieldError] = []
    for index, warning in enumerate(checked.expressionWarnings):
        path = _STATUS.child("typeChecking").child("expressionWarnings").item(index)
        if not warning.warning:
            errors.append(required(path.child("warning")))
        errors += _validate_field_ref(warning.fieldRef.strip(), path.child("fieldRef"))
    return errors + validate_conditions(policy.status.conditions, _STATUS.child("conditions"))


def _validate_field_ref(field_ref: str, path: FieldPath) -> list[FieldError]:
    if not field_ref:
        return [required(path)]
    try:
        JsonPath(field_ref)
    except ValueError as error:
        return [invalid(path, field_ref, f"invalid JSONPath: {error}")]
    return []


def validate_binding(binding: ValidatingAdmissionPolicyBinding) -> list[FieldError]:
    """Validate a ValidatingAdmissionPolicyBinding: policy name, paramRef, matchResources and validation actions."""
    spec = binding.spec
    errors = validate_object_meta(binding.metadata, subdomain_name, namespaced=False)
    errors += validate_policy_name(spec.policyName, _SPEC.child("policyName"))
    errors += validate_param_ref(spec.paramRef, _SPEC.child("paramRef"))
    errors += validate_match_resources(spec.matchResources, _SPEC.child("matchResources"))
    return errors + _validate_actions(spec.validationActions, _SPEC.child("validationActions"))


def validate_policy_name(name: str, path: FieldPath) -> list[FieldError]:
    """Validate that a policy binding names a policy, and that the name is a DNS subdomain."""
    return [invalid(path, name, why) for why in subdomain_name(name)] if name else [required(path)]


def _validate_actions(actions: Sequence[str], path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, action in enumerate(actions):
        if action not in _ACTIONS:
            errors.append(not_supported(path.item(index), action, _ACTIONS))
        if action in actions[:index]:
            errors.append(duplicate(path.item(index), TypedString(action)))
    if {"Deny", "Warn"} <= set(actions):
        why = (
            "must not contain both Deny and Warn (repeating the same validation failure information in the API "
            "response and headers serves no purpose)"
        )
        errors.append(invalid(path, actions, why))
    if not actions:
        errors.append(required(path, "at least one validation action is required"))
    return errors


class ValidatingAdmissionPolicyStrategy(
    ParamKindAccess[ValidatingAdmissionPolicy], SpecStrategy[ValidatingAdmissionPolicy]
):
    """Defaults, validation and warnings for ValidatingAdmissionPolicies; an update needs a resourceVersion.

    Source: ``pkg/registry/admissionregistration/validatingadmissionpolicy/strategy.go``.
    """

    allow_unconditional_update: ClassVar[bool] = False

    validate = staticmethod(validate_policy)

    def default(self, obj: ValidatingAdmissionPolicy) -> None:
        default_policy(obj.spec)

    def validate_update(self, new: ValidatingAdmissionPolicy, old: ValidatingAdmissionPolicy) -> list[FieldError]:
        return validate_policy(new, old)

    def warnings_on_create(self, obj: ValidatingAdmissionPolicy) -> list[str]:
        return static_name_warnings(obj.metadata.name)

    def warnings_on_update(self, new: ValidatingAdmissionPolicy, old: ValidatingAdmissionPolicy) -> list[str]:
        return static_name_warnings(new.metadata.name)


class ValidatingAdmissionPolicyStatusStrategy(
    StatusStrategy[ValidatingAdmissionPolicy], ValidatingAdmissionPolicyStrategy
):
    """Strategy for writing the ``status`` subresource of ValidatingAdmissionPolicies, which cannot change the spec."""

    reset_fields: ClassVar[FieldPaths] = (("spec",), ("metadata",))

    async def begin_update(
        self, stores: Stores, new: ValidatingAdmissionPolicy, old: ValidatingAdmissionPolicy, context: WriteContext
    ) -> Finish | None:
        """Return None without a check: an update of the status discards the paramKind in the body."""
        return None

    def prepare_for_update(self, new: ValidatingAdmissionPolicy, old: ValidatingAdmissionPolicy) -> None:
        """Discard an update's changes to spec and metadata: the ``status`` subresource writes only the status."""
        super().prepare_for_update(new, old)
        reset_metadata_for_status(new.metadata, old.metadata)

    def validate_update(self, new: ValidatingAdmissionPolicy, old: ValidatingAdmissionPolicy) -> list[FieldError]:
        return validate_policy_status(new)


class ValidatingAdmissionPolicyBindingStrategy(
    ParamRefAccess[ValidatingAdmissionPolicyBinding], GenerationStrategy[ValidatingAdmissionPolicyBinding]
):
    """Defaults and validation of ValidatingAdmissionPolicyBindings; a change of the spec increments the generation.

    Source: ``pkg/registry/admissionregistration/validatingadmissionpolicybinding/strategy.go``.
    """

    policies: ClassVar[str] = "validatingadmissionpolicies"
    validate = staticmethod(validate_binding)

    def default(self, obj: ValidatingAdmissionPolicyBinding) -> None:
        default_match_resources(obj.spec.matchResources)

    def validate_update(
        self, new: ValidatingAdmissionPolicyBinding, old: ValidatingAdmissionPolicyBinding
    ) -> list[FieldError]:
        return validate_binding(new)
