"""Validation of the matching precedence, subjects and rules of FlowSchemas (``pkg/apis/flowcontrol/validation``)."""

from collections.abc import Sequence
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden, invalid, not_supported, required
from memkube.apimachinery.names import label_name, subdomain_name
from memkube.apimachinery.shown_values import InternalValue
from memkube.apis.flowcontrol.v1.flowschemas.types import (
    FlowSchemaSpec,
    NonResourcePolicyRule,
    PolicyRulesWithSubjects,
    ResourcePolicyRule,
    ServiceAccountSubject,
    Subject,
)

_LARGEST_PRECEDENCE: Final = 10000
_METHODS: Final = ("ByNamespace", "ByUser")
_VERBS: Final = ("create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch")
_SUBJECT_FIELDS: Final = {"Group": "group", "ServiceAccount": "serviceAccount", "User": "user"}
_FORBIDDEN_IN: Final = {
    "Group": ("ServiceAccount", "User"), "ServiceAccount": ("User", "Group"), "User": ("ServiceAccount", "Group"),
}  # fmt: skip
"""Fields that a FlowSchema subject must not have, by the subject's kind.

A field is named here by the kind to which it belongs: ``User`` for the field ``user``. Errors are in this order.
"""


def validate_spec(name: str, spec: FlowSchemaSpec, path: FieldPath) -> list[FieldError]:
    """Validate the spec of the FlowSchema called `name`: its precedence, priority level and rules.

    Only the FlowSchema ``exempt`` may have the precedence 1.
    """
    errors = _precedence(name, spec.matchingPrecedence, path.child("matchingPrecedence"))
    method = spec.distinguisherMethod
    if method is not None and method.type not in _METHODS:
        errors.append(not_supported(path.child("distinguisherMethod").child("type"), InternalValue(method), _METHODS))
    level, level_path = spec.priorityLevelConfiguration.name, path.child("priorityLevelConfiguration").child("name")
    if level:
        errors += [invalid(level_path, level, error) for error in subdomain_name(level)]
    else:
        errors.append(required(level_path, "must reference a priority level"))
    for index, rule in enumerate(spec.rules):
        errors += _rule(rule, path.child("rules").item(index))
    return errors


def validate_non_resource_path(text: str, path: FieldPath) -> list[FieldError]:
    """Validate a non-resource path: it starts with a slash, and has at most one ``*``, at its end."""
    wildcards = text.count("*")
    if not text:
        detail = "must not be empty"
    elif text == "/":
        return []
    elif not text.startswith("/"):
        detail = "must start with slash"
    elif " " in text:
        detail = "must not contain white-space"
    elif "//" in text:
        detail = "must not contain double slash"
    elif wildcards > 1 or (wildcards == 1 and not text.endswith("/*")):
        detail = "wildcard can only do suffix matching"
    else:
        return []
    return [invalid(path, text, detail)]


def _precedence(name: str, precedence: int, path: FieldPath) -> list[FieldError]:
    if precedence <= 0:
        return [invalid(path, precedence, "must be a positive value")]
    if precedence > _LARGEST_PRECEDENCE:
        return [invalid(path, precedence, f"must not be greater than {_LARGEST_PRECEDENCE}")]
    if precedence == 1 and name != "exempt":
        return [invalid(path, precedence, "only the schema named 'exempt' may have matchingPrecedence 1")]
    return []


def _rule(rule: PolicyRulesWithSubjects, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, subject in enumerate(rule.subjects):
        errors += _subject(subject, path.child("subjects").item(index))
    if not rule.subjects:
        errors.append(required(path.child("subjects"), "subjects must contain at least one value"))
    if not rule.resourceRules and not rule.nonResourceRules:
        errors.append(required(path, "at least one of resourceRules and nonResourceRules has to be non-empty"))
    for index, resource_rule in enumerate(rule.resourceRules):
        errors += _resource_rule(resource_rule, path.child("resourceRules").item(index))
    for index, other_rule in enumerate(rule.nonResourceRules):
        errors += _non_resource_rule(other_rule, path.child("nonResourceRules").item(index))
    return errors


def _subject(subject: Subject, path: FieldPath) -> list[FieldError]:
    kind = subject.kind
    if kind not in _SUBJECT_FIELDS:
        return [not_supported(path.child("kind"), kind, _SUBJECT_FIELDS)]
    field = _SUBJECT_FIELDS[kind]
    named = getattr(subject, field)
    if named is None:
        errors = [required(path.child(field), f"{field} is required when subject kind is '{kind}'")]
    elif isinstance(named, ServiceAccountSubject):
        errors = _service_account(named, path.child(field))
    else:
        errors = [] if named.name else [required(path.child(field).child("name"))]
    for other in _FORBIDDEN_IN[kind]:
        field = _SUBJECT_FIELDS[other]
        if getattr(subject, field) is not None:
            errors.append(forbidden(path.child(field), f"{field} is forbidden when subject kind is not '{other}'"))
    return errors


def _service_account(account: ServiceAccountSubject, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    if not account.name:
        errors.append(required(path.child("name")))
    elif account.name != "*":
        errors += [invalid(path.child("name"), account.name, error) for error in subdomain_name(account.name)]
    if account.namespace:
        errors += [invalid(path.child("namespace"), account.namespace, e) for e in label_name(account.namespace)]
    else:
        errors.append(required(path.child("namespace"), "must specify namespace for service account"))
    return errors


def _verbs(verbs: Sequence[str], path: FieldPath) -> list[FieldError]:
    if not verbs:
        return [required(path, "verbs must contain at least one value")]
    if "*" in verbs:
        return _validate_wildcard_alone(verbs, "verbs", path)
    return [] if set(verbs) <= set(_VERBS) else [not_supported(path, list(verbs), _VERBS)]


def _validate_wildcard_alone(values: Sequence[str], what: str, path: FieldPath) -> list[FieldError]:
    """Validate that a list which has the wildcard ``*`` has no other item. `what` names the items in the error."""
    if "*" not in values or len(values) == 1:
        return []
    return [invalid(path, list(values), f"if '*' is present, must not specify other {what}")]


def _resource_rule(rule: ResourcePolicyRule, path: FieldPath) -> list[FieldError]:
    errors = _verbs(rule.verbs, path.child("verbs"))
    if rule.apiGroups:
        errors += _validate_wildcard_alone(rule.apiGroups, "api groups", path.child("apiGroups"))
    else:
        errors.append(required(path.child("apiGroups"), "resource rules must supply at least one api group"))
    if rule.resources:
        errors += _validate_wildcard_alone(rule.resources, "resources", path.child("resources"))
    else:
        errors.append(required(path.child("resources"), "resource rules must supply at least one resource"))
    return errors + _namespaces(rule, path.child("namespaces"))


def _namespaces(rule: ResourcePolicyRule, path: FieldPath) -> list[FieldError]:
    if not rule.namespaces and not rule.clusterScope:
        return [required(path, "resource rules that are not cluster scoped must supply at least one namespace")]
    if "*" in rule.namespaces:
        return _validate_wildcard_alone(rule.namespaces, "namespaces", path)
    return [
        invalid(path.item(index), name, f"each member of this list must be '*' or a DNS-1123 label; {error}")
        for index, name in enumerate(rule.namespaces)
        for error in label_name(name)
    ]


def _non_resource_rule(rule: NonResourcePolicyRule, path: FieldPath) -> list[FieldError]:
    errors = _verbs(rule.verbs, path.child("verbs"))
    urls, urls_path = rule.nonResourceURLs, path.child("nonResourceURLs")
    if not urls:
        errors.append(required(urls_path, "nonResourceURLs must contain at least one value"))
    elif "*" in urls:
        errors += _validate_wildcard_alone(urls, "non-resource URLs", urls_path)
    else:
        for index, url in enumerate(urls):
            errors += validate_non_resource_path(url, urls_path.item(index))
    return errors
