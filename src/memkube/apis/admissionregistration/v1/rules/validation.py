"""Validation of the rules that select requests for webhooks and policies.

Source: ``pkg/apis/admissionregistration/validation``.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
    too_many,
)
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.meta.validation.labels import validate_label_name, validate_label_selector
from memkube.apimachinery.names import is_dns1035_label, is_dns1123_subdomain, is_path_segment_name
from memkube.apis.admissionregistration.v1.rules.expressions import CONDITION, Expressions
from memkube.apis.admissionregistration.v1.rules.types import (
    MatchCondition,
    MatchResources,
    NamedRuleWithOperations,
    ParamKind,
    ParamRef,
    Rule,
    RuleWithOperations,
    Variable,
)

FAILURE_POLICIES: Final = ("Fail", "Ignore")
MATCH_POLICIES: Final = ("Equivalent", "Exact")
REINVOCATION_POLICIES: Final = ("IfNeeded", "Never")
_OPERATIONS: Final = ("*", "CONNECT", "CREATE", "DELETE", "UPDATE")
_MUTABLE: Final = ("*", "CONNECT", "CREATE", "UPDATE")
_SCOPES: Final = ("*", "Cluster", "Namespaced")
_MOST_CONDITIONS: Final = 64
_RESERVED: Final = frozenset(
    {
        "as",
        "break",
        "const",
        "continue",
        "else",
        "false",
        "for",
        "function",
        "if",
        "import",
        "in",
        "let",
        "loop",
        "namespace",
        "null",
        "package",
        "return",
        "true",
        "var",
        "void",
        "while",
    }
)
_identifier: Final = re.compile(r"[_a-zA-Z][_a-zA-Z0-9]*")
_STATIC_SUFFIX: Final = ".static.k8s.io"


def static_name_warnings(name: str) -> list[str]:
    """Return a warning if the name is reserved for webhooks and policies from kube-apiserver's manifest files."""
    if not name.endswith(_STATIC_SUFFIX):
        return []
    reserved = f'names ending with "{_STATIC_SUFFIX}" are reserved for static manifest-based configurations'
    return [f"metadata.name: {reserved} and cannot be managed via the API"]


def validate_rule_with_operations(rule: RuleWithOperations, path: FieldPath) -> list[FieldError]:
    """Validate the operations and resources of a rule that says to which requests a webhook or policy applies."""
    errors: list[FieldError] = []
    operations = path.child("operations")
    if not rule.operations:
        errors.append(required(operations))
    if len(rule.operations) > 1 and "*" in rule.operations:
        errors.append(invalid(operations, rule.operations, "if '*' is present, must not specify other operations"))
    for index, operation in enumerate(rule.operations):
        if operation not in _OPERATIONS:
            errors.append(not_supported(operations.item(index), operation, _OPERATIONS))
    return errors + _validate_rule(rule, path)


def _validate_rule(rule: Rule, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    for name, values, what in (
        ("apiGroups", rule.apiGroups, "API groups"),
        ("apiVersions", rule.apiVersions, "API versions"),
    ):
        if not values:
            errors.append(required(path.child(name)))
        if len(values) > 1 and "*" in values:
            errors.append(invalid(path.child(name), values, f"if '*' is present, must not specify other {what}"))
    versions = path.child("apiVersions")
    errors += [required(versions.item(index)) for index, version in enumerate(rule.apiVersions) if not version]
    errors += _validate_resources(rule.resources, path.child("resources"))
    if rule.scope is not None and rule.scope not in _SCOPES:
        errors.append(not_supported(path.child("scope"), rule.scope, _SCOPES))
    return errors


def _validate_resources(resources: Sequence[str], path: FieldPath) -> list[FieldError]:
    errors = [] if resources else [required(path)]
    whole: set[str] = set()
    everywhere: set[str] = set()
    for index, written in enumerate(resources):
        if not written:
            errors.append(required(path.item(index)))
        resource, slash, sub = written.partition("/")
        if not slash:
            continue
        if resource in whole:
            why = f"if '{resource}/*' is present, must not specify {written}"
            errors.append(invalid(path.item(index), written, why))
        if sub in everywhere:
            errors.append(invalid(path.item(index), written, f"if '*/{sub}' is present, must not specify {written}"))
        if sub == "*":
            whole.add(resource)
        if resource == "*":
            everywhere.add(sub)
    if len(resources) > 1 and "*/*" in resources:
        errors.append(invalid(path, resources, "if '*/*' is present, must not specify other resources"))
    plain = [written for written in resources if written and "/" not in written]
    # kube-apiserver accepts "*" beside other resources if "*" is the last resource without a subresource.
    if "*" in resources and plain[-1] != "*":
        why = "if '*' is present, must not specify other resources without subresources"
        errors.append(invalid(path, resources, why))
    return errors


def validate_match_conditions(
    conditions: Sequence[MatchCondition], path: FieldPath, *, params: bool = False
) -> list[FieldError]:
    """Validate match conditions: at most 64, with unique names and expressions that return a bool.

    If `params` is true, the expressions can use the CEL variable ``params``.
    """
    expressions = Expressions(params)
    errors = []
    if len(conditions) > _MOST_CONDITIONS:
        errors.append(too_many(path, len(conditions), _MOST_CONDITIONS))
    seen: set[str] = set()
    for index, condition in enumerate(conditions):
        item = path.item(index)
        expression = condition.expression.strip()
        if expression:
            errors += expressions.validate(expression, item.child("expression"), CONDITION)
        else:
            errors.append(required(item.child("expression")))
        if not condition.name:
            errors.append(required(item.child("name")))
            continue
        errors += validate_label_name(condition.name, item.child("name"))
        if condition.name in seen:
            errors.append(duplicate(item.child("name"), condition.name))
        seen.add(condition.name)
    return errors


def validate_match_resources(
    matched: MatchResources | None, path: FieldPath, *, mutable_only: bool = False
) -> list[FieldError]:
    """Validate `matched`, the selectors and resource rules of a policy or binding at the field `path`.

    `mutable_only` is True for policies that mutate objects. Their resource rules must not name the operation DELETE,
    because a DELETE has no new object.
    """
    if matched is None:
        return []
    errors = one_of(matched.matchPolicy, MATCH_POLICIES, path.child("matchPolicy"))
    errors += _needed_selector(matched.namespaceSelector, path.child("namespaceSelector"))
    errors += _needed_selector(matched.objectSelector, path.child("objectSelector"))
    for index, rule in enumerate(matched.resourceRules):
        errors += _validate_named_rule(rule, path.child("resourceRules").item(index))
    for index, rule in enumerate(matched.excludeResourceRules):
        errors += _validate_named_rule(rule, path.child("excludeResourceRules").item(index))
    return errors + (_immutable_operations(matched, path) if mutable_only else [])


def validate_match_constraints(
    matched: MatchResources | None, path: FieldPath, *, mutable_only: bool = False
) -> list[FieldError]:
    """Validate `matched`, a policy's match constraints, which are required and need at least one resource rule.

    `mutable_only` is True for policies that mutate objects. Their resource rules must not name the operation DELETE,
    because a DELETE has no new object.
    """
    if matched is None:
        return [required(path)]
    errors = validate_match_resources(matched, path)
    if not matched.resourceRules:
        errors.append(required(path.child("resourceRules")))
    return errors + (_immutable_operations(matched, path) if mutable_only else [])


def _immutable_operations(matched: MatchResources, path: FieldPath) -> list[FieldError]:
    operations = path.child("resourceRules").child("operations")
    found = (operation for rule in matched.resourceRules for operation in rule.operations)
    return [not_supported(operations, operation, _MUTABLE) for operation in found if operation not in _MUTABLE]


def _needed_selector(selector: LabelSelector | None, path: FieldPath) -> list[FieldError]:
    return [required(path)] if selector is None else validate_label_selector(selector, path)


def _validate_named_rule(rule: NamedRuleWithOperations, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, name in enumerate(rule.resourceNames):
        item = path.child("resourceNames").item(index)
        errors += [invalid(item, name, why) for why in is_path_segment_name(name)]
        if name in rule.resourceNames[:index]:
            errors.append(duplicate(item, name))
    return errors + validate_rule_with_operations(rule, path)


def one_of(value: str | None, supported: Iterable[str], path: FieldPath, *, needed: bool = True) -> list[FieldError]:
    """Return an error if `value` is not in `supported`, or if it is missing (None) although `needed` is True."""
    if value is None:
        return [required(path)] if needed else []
    return [] if value in supported else [not_supported(path, value, supported)]


def validate_param_kind(kind: ParamKind, path: FieldPath) -> list[FieldError]:
    """Validate that apiVersion and kind of a policy's parameters are well-formed."""
    errors = _validate_api_version(kind.apiVersion, path.child("apiVersion"))
    if not kind.kind:
        errors.append(required(path.child("kind")))
    elif wrong := is_dns1035_label(kind.kind.lower()):
        why = f"may have mixed case, but should otherwise match: {','.join(wrong)}"
        errors.append(invalid(path.child("kind"), kind.kind, why))
    return errors


def _validate_api_version(written: str, path: FieldPath) -> list[FieldError]:
    if not written:
        return [required(path)]
    if written.count("/") > 1:
        return [invalid(path, written, f"unexpected GroupVersion string: {written}")]
    group, _, version = written.rpartition("/")
    errors: list[FieldError] = []
    if group and (wrong := is_dns1123_subdomain(group)):
        errors.append(invalid(path, group, ",".join(wrong)))
    if not version:
        errors.append(invalid(path, written, "version must be specified"))
    elif wrong := is_dns1035_label(version):
        errors.append(invalid(path, version, ",".join(wrong)))
    return errors


def validate_param_ref(reference: ParamRef | None, path: FieldPath) -> list[FieldError]:
    """Validate a binding's parameter reference: it has either a name or a selector, and a parameterNotFoundAction."""
    if reference is None:
        return []
    both = bool(reference.name) and reference.selector is not None
    twice = "name and selector are mutually exclusive"
    errors = [invalid(path.child("name"), reference.name, why) for why in is_path_segment_name(reference.name)]
    if both:
        errors.append(forbidden(path.child("name"), twice))
    errors += validate_label_selector(reference.selector, path.child("selector"))
    if both:
        errors.append(forbidden(path.child("selector"), twice))
    if not reference.name and reference.selector is None:
        errors.append(required(path, "one of name or selector must be specified"))
    action = reference.parameterNotFoundAction
    return errors + one_of(action or None, ("Deny", "Allow"), path.child("parameterNotFoundAction"))


def validate_variables(variables: Sequence[Variable], expressions: Expressions, path: FieldPath) -> list[FieldError]:
    """Validate a policy's variables: valid names, and expressions that use only variables declared before them."""
    errors: list[FieldError] = []
    for index, variable in enumerate(variables):
        errors += _validate_variable(variable, expressions, path.item(index))
    return errors


def _validate_variable(variable: Variable, expressions: Expressions, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    if not variable.name.strip():
        errors.append(required(path.child("name"), "name is not specified"))
    elif not _identifier.fullmatch(variable.name) or variable.name in _RESERVED:
        errors.append(invalid(path.child("name"), variable.name, "must be a valid CEL identifier"))
    if not variable.expression.strip():
        return [*errors, required(path.child("expression"), "expression is not specified")]
    return errors + expressions.add_variable(variable.name, variable.expression, path.child("expression"))
