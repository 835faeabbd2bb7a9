"""Rules for writing MutatingAdmissionPolicies and their bindings: defaults, and validation of mutations.

Source of the rules: ``pkg/apis/admissionregistration/validation``.
"""

from typing import ClassVar, Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, not_supported, required
from memkube.apimachinery.meta.validation.object_meta import validate_object_meta
from memkube.apimachinery.names import subdomain_name
from memkube.apis.admissionregistration.v1.mutatingadmissionpolicies.types import (
    ApplyConfiguration,
    JSONPatch,
    MutatingAdmissionPolicy,
    MutatingAdmissionPolicyBinding,
    Mutation,
)
from memkube.apis.admissionregistration.v1.rules.defaults import default_match_resources
from memkube.apis.admissionregistration.v1.rules.expressions import APPLY_CONFIGURATION, JSON_PATCH, Expressions
from memkube.apis.admissionregistration.v1.rules.param_access import ParamKindAccess, ParamRefAccess
from memkube.apis.admissionregistration.v1.rules.policies import default_policy, validate_subject
from memkube.apis.admissionregistration.v1.rules.strategy import GenerationStrategy
from memkube.apis.admissionregistration.v1.rules.validation import (
    REINVOCATION_POLICIES,
    one_of,
    validate_match_resources,
    validate_param_ref,
    validate_variables,
)
from memkube.apis.admissionregistration.v1.validatingadmissionpolicies.strategy import validate_policy_name

_SPEC: Final = FieldPath("spec")
_PATCH_TYPES: Final = ("ApplyConfiguration", "JSONPatch")


def validate_policy(policy: MutatingAdmissionPolicy, old: MutatingAdmissionPolicy | None = None) -> list[FieldError]:
    """Validate a MutatingAdmissionPolicy: its matchConstraints, variables and mutations.

    Match conditions that have not changed since `old` are not checked again.
    """
    spec = policy.spec
    errors = validate_object_meta(policy.metadata, subdomain_name, namespaced=False)
    errors += validate_subject(spec, old.spec if old else None, mutable_only=True)
    expressions = Expressions(spec.paramKind is not None, {})
    errors += validate_variables(spec.variables, expressions, _SPEC.child("variables"))
    mutations = _SPEC.child("mutations")
    if not spec.mutations:
        errors.append(required(mutations, "mutations must contain at least one item"))
    for index, mutation in enumerate(spec.mutations):
        errors += _validate_mutation(mutation, expressions, mutations.item(index))
    return errors + one_of(spec.reinvocationPolicy or None, REINVOCATION_POLICIES, _SPEC.child("reinvocationPolicy"))


def _validate_mutation(mutation: Mutation, expressions: Expressions, path: FieldPath) -> list[FieldError]:
    if not mutation.patchType:
        return [required(path.child("patchType"))]
    changes = {
        "JSONPatch": ("jsonPatch", mutation.jsonPatch),
        "ApplyConfiguration": ("applyConfiguration", mutation.applyConfiguration),
    }
    if mutation.patchType not in changes:
        return [not_supported(path.child("patchType"), mutation.patchType, _PATCH_TYPES)]
    name, change = changes.pop(mutation.patchType)
    ((other_name, other),) = changes.values()
    errors = _validate_change(change, expressions, path.child(name), mutation.patchType)
    if other is not None:
        why = f"must not be specified when patchType is {mutation.patchType}"
        errors.append(invalid(path.child(other_name), f"{{{other_name}}}", why))
    return errors


def _validate_change(
    change: ApplyConfiguration | JSONPatch | None, expressions: Expressions, path: FieldPath, patch_type: str
) -> list[FieldError]:
    if change is None:
        return [required(path, f"must be specified when patchType is {patch_type}")]
    expression = change.expression.strip()
    if not expression:
        return [required(path.child("expression"))]
    results = JSON_PATCH if patch_type == "JSONPatch" else APPLY_CONFIGURATION
    return expressions.validate(expression, path.child("expression"), results, patches=True)


def validate_binding(binding: MutatingAdmissionPolicyBinding) -> list[FieldError]:
    """Validate a MutatingAdmissionPolicyBinding: its policy name, paramRef and matchResources."""
    spec = binding.spec
    errors = validate_object_meta(binding.metadata, subdomain_name, namespaced=False)
    errors += validate_policy_name(spec.policyName, _SPEC.child("policyName"))
    errors += validate_param_ref(spec.paramRef, _SPEC.child("paramRef"))
    return errors + validate_match_resources(spec.matchResources, _SPEC.child("matchResources"), mutable_only=True)


class MutatingAdmissionPolicyStrategy(
    ParamKindAccess[MutatingAdmissionPolicy], GenerationStrategy[MutatingAdmissionPolicy]
):
    """Defaults and validation of MutatingAdmissionPolicies; a change of the spec increments the generation.

    Source: ``pkg/registry/admissionregistration/mutatingadmissionpolicy/strategy.go``.
    """

    validate = staticmethod(validate_policy)
    validate_update = staticmethod(validate_policy)

    def default(self, obj: MutatingAdmissionPolicy) -> None:
        default_policy(obj.spec)


class MutatingAdmissionPolicyBindingStrategy(
    ParamRefAccess[MutatingAdmissionPolicyBinding], GenerationStrategy[MutatingAdmissionPolicyBinding]
):
    """Defaults and validation of MutatingAdmissionPolicyBindings; a change of the spec increments the generation.

    Source: ``pkg/registry/admissionregistration/mutatingadmissionpolicybinding/strategy.go``.
    """

    policies: ClassVar[str] = "mutatingadmissionpolicies"
    validate = staticmethod(validate_binding)

    def default(self, obj: MutatingAdmissionPolicyBinding) -> None:
        default_match_resources(obj.spec.matchResources)

    def validate_update(
        self, new: MutatingAdmissionPolicyBinding, old: MutatingAdmissionPolicyBinding
    ) -> list[FieldError]:
        return validate_binding(new)
