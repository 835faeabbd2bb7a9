"""Decides if a rule allows a request, and if a binding applies to a user (``pkg/apis/rbac/v1``)."""

from collections.abc import Sequence
from typing import Final

from memkube.apimachinery.model import Document
from memkube.auth.authorization.interface import Attributes, Rule
from memkube.registry.declarations.request_options import User

_ALL: Final = "*"
_ACCOUNT: Final = "system:serviceaccount"


def rule_of(document: Document) -> Rule:
    """Convert a PolicyRule from JSON data to a Rule."""
    return Rule(
        document.get("verbs") or (),
        document.get("apiGroups") or (),
        document.get("resources") or (),
        document.get("resourceNames") or (),
        document.get("nonResourceURLs") or (),
    )


def allows(rule: Rule, attributes: Attributes) -> bool:
    """True if the rule allows the request that `attributes` describe."""
    if _ALL not in rule.verbs and attributes.verb not in rule.verbs:
        return False
    if not attributes.is_resource:
        return any(matches_path(path, attributes.path) for path in rule.paths)
    if _ALL not in rule.groups and attributes.group not in rule.groups:
        return False
    if rule.names and attributes.name not in rule.names:
        return False
    return _matches_resource(rule.resources, attributes.resource, attributes.subresource)


def matches_path(rule: str, path: str) -> bool:
    """True if a rule's path, which may end with ``*``, matches a request's path."""
    return rule in (_ALL, path) or (rule.endswith(_ALL) and path.startswith(rule.rstrip(_ALL)))


def _matches_resource(rules: Sequence[str], resource: str, subresource: str) -> bool:
    if _ALL in rules:
        return True
    if not subresource:
        return resource in rules
    return f"{resource}/{subresource}" in rules or f"*/{subresource}" in rules


def first_subject(user: User, subjects: Sequence[Document], namespace: str) -> Document | None:
    """Return the first subject of a binding that names the user or one of the user's groups; None if there is none.

    `namespace` is the namespace of the binding. A subject of the kind ServiceAccount that names no namespace is in this
    namespace.
    """
    return next((subject for subject in subjects if _is_user(user, subject, namespace)), None)


def _is_user(user: User, subject: Document, namespace: str) -> bool:
    name: str = subject["name"]
    match subject["kind"]:
        case "User":
            return user.name == name
        case "Group":
            return name in user.groups
        case "ServiceAccount":
            own = subject.get("namespace") or namespace
            return bool(own) and user.name == f"{_ACCOUNT}:{own}:{name}"
    return False
