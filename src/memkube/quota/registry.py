"""Finds the evaluators that measure how much the objects of a resource use of a ResourceQuota.

Sources: ``quota/v1/install``, apiserver ``quota/v1/generic/registry.go``.
"""

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final, TypeAlias

from memkube.apis.core.v1.resourcequotas.types import ResourceQuotaSpec, ScopedResourceSelectorRequirement
from memkube.quota.evaluators import ALIASES, Evaluator, ObjectCount
from memkube.registry.declarations.catalog import Catalog
from memkube.registry.declarations.interface import Stores
from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource

MakeEvaluator: TypeAlias = Callable[[Resource, Stores], Awaitable[Evaluator]]
"""Function that creates the quota evaluator of a resource."""

_SPECIAL: Final[dict[tuple[str, str], Lazy[MakeEvaluator]]] = {
    ("", "pods"): Lazy("memkube.quota.pods:pods"),
    ("", "services"): Lazy("memkube.quota.evaluators:services"),
    ("", "persistentvolumeclaims"): Lazy("memkube.quota.evaluators:claims"),
    ("resource.k8s.io", "resourceclaims"): Lazy("memkube.quota.devices:device_claims"),
}
"""Modules of the evaluators that measure more than the number of objects. They are imported when a quota exists."""
_IGNORED: Final = frozenset(
    {
        ("", "bindings"),
        ("", "componentstatuses"),
        ("authentication.k8s.io", "tokenreviews"),
        ("authentication.k8s.io", "selfsubjectreviews"),
        ("authorization.k8s.io", "subjectaccessreviews"),
        ("authorization.k8s.io", "selfsubjectaccessreviews"),
        ("authorization.k8s.io", "localsubjectaccessreviews"),
        ("authorization.k8s.io", "selfsubjectrulesreviews"),
        ("", "events"),
        ("events.k8s.io", "events"),
    }
)
_MONITORED: Final = frozenset(("create", "list", "watch", "delete"))


def is_counted(resource: Resource) -> bool:
    """True if quotas can limit the number of objects of a resource."""
    return (resource.group, resource.plural) not in _IGNORED


def has_special_evaluator(resource: Resource) -> bool:
    """True if quotas limit more than the number of objects of a resource."""
    return (resource.group, resource.plural) in _SPECIAL


async def evaluator_of(resource: Resource, stores: Stores) -> Evaluator:
    """Return the quota evaluator for the objects of a resource. It finds other objects that it needs in `stores`."""
    special = _SPECIAL.get((resource.group, resource.plural))
    return ObjectCount(resource) if special is None else await special.load()(resource, stores)


def countable(names: Iterable[str], catalog: Catalog) -> list[Resource]:
    """Return the resources of `catalog` whose objects may count towards the limits of a ResourceQuota.

    `names` are the names that the quota limits, such as ``count/deployments.apps`` or ``pods``.
    """
    found = {(group, plural): _preferred(group, plural, catalog) for group, plural in _SPECIAL}
    for name in names:
        plural, _, group = name.removeprefix("count/").partition(".")
        if name.startswith("count/") or name in ALIASES:
            found[group, plural] = _preferred(group, plural, catalog)
    return [resource for resource in found.values() if resource is not None and is_counted(resource)]


def _preferred(group: str, plural: str, catalog: Catalog) -> Resource | None:
    """Return the resource with this group and plural name in its preferred version.

    Returns None if the resource is cluster-scoped, or lacks a verb that the quota controller needs, such as list or
    watch.
    """
    served = (catalog.find(group, version, plural) for version in catalog.groups.get(group, ()))
    resource = next((each for each in served if each is not None), None)
    return resource if resource is not None and resource.namespaced and {*resource.verbs} >= _MONITORED else None


def is_in_scope(spec: ResourceQuotaSpec, evaluator: Evaluator, obj: Any) -> bool:
    """True if an object is in all scopes of the quota `spec`, as decided by the evaluator of the object's resource."""
    scopes = [ScopedResourceSelectorRequirement(scopeName=scope, operator="Exists") for scope in spec.scopes]
    selected = spec.scopeSelector.matchExpressions if spec.scopeSelector is not None else []
    return all(evaluator.in_scope(requirement, obj) for requirement in (*scopes, *selected))
