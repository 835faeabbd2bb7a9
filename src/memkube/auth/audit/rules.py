"""The smallest set of PolicyRules that gives certain rights, and the rights that all users have by default."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.auth.authorization.bootstrap_policy.cluster_roles import CLUSTER_ROLES
from memkube.auth.authorization.interface import Attributes, Rule
from memkube.auth.authorization.rbac.matching import allows, rule_of
from memkube.registry.declarations.request_options import NOBODY, Right

_COMMON: Final = ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection")
"""Verbs of the Kubernetes API in the order in which rules list them. Rules for other verbs always name the objects."""
_OF_EVERYONE: Final = ("system:basic-user", "system:discovery", "system:public-info-viewer")
"""ClusterRoles that the bootstrap policy binds to all authenticated users."""


class _Entry(NamedTuple):
    """Verbs on one resource. If `names` is not empty, the verbs apply only to the objects with these names."""

    group: str
    resource: str
    names: tuple[str, ...]
    verbs: tuple[str, ...]


def fewest_rules(rights: Iterable[Right], *, names: bool = False) -> list[Document]:
    """Return as few PolicyRules as possible that give exactly these rights, in a fixed order.

    The namespaces of the rights are ignored. Resources of one group that need the same verbs share a rule. If `names`
    is True and all requests for a rule's resource and verbs named an object, the rule is limited to these names. Rules
    for verbs such as ``impersonate`` are always limited to names.
    """
    verbs: dict[tuple[str, str], dict[str, set[str]]] = {}
    paths: dict[str, set[str]] = {}
    for right in rights:
        if right.path:
            paths.setdefault(right.path, set()).add(right.verb)
        else:
            name = right.name if right.verb not in _COMMON or (names and _can_name(right)) else ""
            verbs.setdefault((right.group, right.resource), {}).setdefault(name, set()).add(right.verb)
    entries = [entry for (group, resource), found in verbs.items() for entry in _entries(group, resource, found)]
    return [*_resource_rules(entries), *_path_rules(paths)]


def _can_name(right: Right) -> bool:
    """True if a rule for this right can be limited to object names.

    A rule for ``create`` cannot, because the path of the request does not contain the new object's name. It does
    contain a name if a subresource is created, such as a pod's binding.
    """
    return right.verb != "create" or "/" in right.resource


def without_covered(rights: Iterable[Right]) -> set[Right]:
    """Return `rights` without those that all authenticated users have, and without redundant ones.

    A right in one namespace is redundant if `rights` has the same right in all namespaces. For Namespaces, an
    authorizer gets the name of the namespace as the namespace of the request; here, such requests count as
    cluster-scoped.
    """
    placed = {right._replace(namespace="") if right.resource == "namespaces" else right for right in rights}
    needed = {right for right in placed if not _everyone_has(right)}
    return {right for right in needed if not _is_covered(right, needed)}


def _is_covered(right: Right, needed: set[Right]) -> bool:
    everywhere = right._replace(namespace="")
    return bool(right.namespace) and (everywhere in needed or everywhere._replace(name="") in needed)


@cache
def _rules_of_everyone() -> Sequence[Rule]:
    return [rule_of(rule) for name in _OF_EVERYONE for rule in CLUSTER_ROLES[name]]


def _everyone_has(right: Right) -> bool:
    resource, _, subresource = right.resource.partition("/")
    attributes = Attributes(NOBODY, right.verb, right.namespace, right.group, "", resource, subresource, right.name)
    if right.path:
        attributes = Attributes(NOBODY, right.verb, is_resource=False, path=right.path)
    return any(allows(rule, attributes) for rule in _rules_of_everyone())


def _entries(group: str, resource: str, verbs: Mapping[str, set[str]]) -> list[_Entry]:
    """Return the verbs that a user needs on one resource as entries, each of which becomes a part of a PolicyRule.

    `verbs` is keyed by object name; the key "" stands for all objects. Objects with the same verbs share an entry.
    Verbs on all objects are left out of the entries for named objects.
    """
    of_all = verbs.get("", set())
    entries = [_Entry(group, resource, (), _sorted_verbs(of_all))] if of_all else []
    named: dict[tuple[str, ...], list[str]] = {}
    for name, found in verbs.items():
        if name and (left := found - of_all):
            named.setdefault(_sorted_verbs(left), []).append(name)
    return [*entries, *(_Entry(group, resource, tuple(sorted(found)), left) for left, found in named.items())]


def _resource_rules(entries: Sequence[_Entry]) -> list[Document]:
    resources: dict[tuple[str, tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for entry in entries:
        resources.setdefault((entry.group, entry.names, entry.verbs), []).append(entry.resource)
    groups: dict[tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for (group, names, verbs), found in resources.items():
        groups.setdefault((tuple(sorted(found)), names, verbs), []).append(group)
    rules = [(sorted(found), *key) for key, found in groups.items()]
    return [_rule(*rule) for rule in sorted(rules)]


def _rule(groups: Sequence[str], resources: Sequence[str], names: Sequence[str], verbs: Sequence[str]) -> Document:
    limited = {"resourceNames": list(names)} if names else {}
    return {"apiGroups": list(groups), "resources": list(resources), **limited, "verbs": list(verbs)}


def _path_rules(paths: Mapping[str, set[str]]) -> list[Document]:
    by_verbs: dict[tuple[str, ...], list[str]] = {}
    for path, verbs in paths.items():
        by_verbs.setdefault(_sorted_verbs(verbs), []).append(path)
    rules = sorted((sorted(found), list(verbs)) for verbs, found in by_verbs.items())
    return [{"nonResourceURLs": found, "verbs": verbs} for found, verbs in rules]


def _sorted_verbs(verbs: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(verbs, key=lambda verb: (_COMMON.index(verb) if verb in _COMMON else len(_COMMON), verb)))
