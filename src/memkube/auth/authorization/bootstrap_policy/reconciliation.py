"""Adds missing rules and subjects to stored roles and bindings (``component-helpers/auth/rbac/reconciliation``).

Extra rules, subjects, labels and annotations of a stored object are kept.
"""

from collections.abc import Sequence
from typing import Any, Final

from memkube.apimachinery.model import Document
from memkube.auth.authorization.interface import Rule
from memkube.auth.authorization.rbac.coverage import uncovered
from memkube.auth.authorization.rbac.matching import rule_of

AUTO_UPDATE: Final = "rbac.authorization.kubernetes.io/autoupdate"
"""Annotation of roles and bindings. With the value ``false``, a starting server does not add missing rules and
subjects."""


def is_protected(existing: Document) -> bool:
    """True if an annotation of a stored role or binding forbids adding missing rules or subjects to it."""
    return bool((existing["metadata"].get("annotations") or {}).get(AUTO_UPDATE) == "false")


def has_other_role(existing: Document, expected: Document) -> bool:
    """True if a stored binding refers to another role than the expected one, so that it must be replaced."""
    return bool(existing.get("roleRef") != expected.get("roleRef"))


def reconciled(existing: Document, expected: Document) -> Document:
    """Return a stored role or binding, with the rules or subjects that it lacks in comparison to the expected one.

    The result equals the stored object if nothing is missing.
    """
    metadata = dict(existing["metadata"])
    for name in ("annotations", "labels"):
        metadata[name] = {**(expected["metadata"].get(name) or {}), **(metadata.get(name) or {})}
    merged = {**existing, "metadata": metadata}
    if "roleRef" in expected:
        held = existing.get("subjects") or []
        known = [_identity(subject) for subject in held]
        missing = [one for one in expected.get("subjects") or () if _identity(one) not in known]
        return {**merged, "subjects": [*held, *missing]} if missing else merged
    rules = existing.get("rules") or []
    lacking = uncovered(_rules(existing), _rules(expected))
    if lacking:
        merged["rules"] = [*rules, *(_document(rule) for rule in lacking)]
    return _with_aggregation(merged, expected.get("aggregationRule"))


def _with_aggregation(role: Document, expected: Document | None) -> Document:
    held = role.get("aggregationRule")
    if expected is None:
        return {name: value for name, value in role.items() if name != "aggregationRule"}
    selectors = (held or {}).get("clusterRoleSelectors") or []
    missing = [one for one in expected["clusterRoleSelectors"] if one not in selectors]
    return {**role, "aggregationRule": {"clusterRoleSelectors": [*selectors, *missing]}} if missing else role


def _rules(role: Document) -> list[Rule]:
    return [rule_of(rule) for rule in role.get("rules") or ()]


def _document(rule: Rule) -> Document:
    values: dict[str, Sequence[str]] = {
        "verbs": rule.verbs,
        "apiGroups": rule.groups,
        "resources": rule.resources,
        "resourceNames": rule.names,
        "nonResourceURLs": rule.paths,
    }
    return {name: list(value) for name, value in values.items() if value}


def _identity(subject: Document) -> tuple[Any, ...]:
    return tuple(subject.get(name) or "" for name in ("kind", "apiGroup", "name", "namespace"))
