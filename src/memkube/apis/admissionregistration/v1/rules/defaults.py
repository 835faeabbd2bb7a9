"""Defaults shared by webhooks and policies (``pkg/apis/admissionregistration/v1/defaults.go``)."""

from collections.abc import Iterable
from typing import Protocol

from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apis.admissionregistration.v1.rules.types import MatchResources, Rule


class _Selecting(Protocol):
    matchPolicy: str | None
    namespaceSelector: LabelSelector | None
    objectSelector: LabelSelector | None


def default_rules(rules: Iterable[Rule]) -> None:
    """Set the scope of each webhook or policy rule to ``*`` if it is unset."""
    for rule in rules:
        if rule.scope is None:
            rule.scope = "*"


def default_selection(selecting: _Selecting) -> None:
    """Set the default match policy and selectors of `selecting`, a webhook or MatchResources, in place.

    The match policy is Equivalent. The selectors for namespaces and objects are empty, so they select everything.
    """
    if selecting.matchPolicy is None:
        selecting.matchPolicy = "Equivalent"
    if selecting.namespaceSelector is None:
        selecting.namespaceSelector = LabelSelector()
    if selecting.objectSelector is None:
        selecting.objectSelector = LabelSelector()


def default_match_resources(matched: MatchResources | None) -> None:
    """Set the defaults of `matched` in place: a policy's ``matchConstraints`` or a binding's ``matchResources``."""
    if matched is not None:
        default_selection(matched)
        default_rules([*matched.resourceRules, *matched.excludeResourceRules])
