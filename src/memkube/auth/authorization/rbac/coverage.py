"""Comparison of the rights that PolicyRules give (``component-helpers/auth/rbac/validation/policy_comparator.go``)."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final

from memkube.auth.authorization.interface import Rule
from memkube.auth.authorization.rbac.matching import matches_path

_ALL: Final = "*"


def uncovered(held: Sequence[Rule], wanted: Sequence[Rule]) -> list[Rule]:
    """Return the parts of the wanted rules that no held rule covers.

    Each part has one verb, and one resource, name or path.
    """
    parts = (part for rule in wanted for part in _parts(rule))
    return [part for part in parts if not any(_covers(rule, part) for rule in held)]


def _parts(rule: Rule) -> Iterator[Rule]:
    """Yield rules with one verb and one resource, name or path each, which together allow what `rule` allows."""
    names: list[tuple[str, ...]] = [(name,) for name in rule.names] or [()]
    for group, resource, verb in product(rule.groups, rule.resources, rule.verbs):
        for chosen in names:
            yield Rule((verb,), (group,), (resource,), chosen)
    for path, verb in product(rule.paths, rule.verbs):
        yield Rule((verb,), paths=(path,))


def _covers(rule: Rule, part: Rule) -> bool:
    """True if a rule allows everything that `part`, a part of another rule, allows."""
    if not (_has(rule.verbs, part.verbs) and _has(rule.groups, part.groups)):
        return False
    if not all(_covers_resource(rule.resources, resource) for resource in part.resources):
        return False
    if rule.names and not (part.names and set(part.names) <= set(rule.names)):
        return False
    return all(any(matches_path(own, path) for own in rule.paths) for path in part.paths)


def _has(held: Sequence[str], wanted: Sequence[str]) -> bool:
    return _ALL in held or set(wanted) <= set(held)


def _covers_resource(held: Sequence[str], resource: str) -> bool:
    if _ALL in held or resource in held:
        return True
    _, slash, subresource = resource.partition("/")
    return bool(slash) and f"*/{subresource}" in held
