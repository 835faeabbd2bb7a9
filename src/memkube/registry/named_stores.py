"""Lookup of stores by any resource name that kubectl accepts."""

from difflib import get_close_matches

from memkube.apimachinery.errors import ApiError
from memkube.registry.declarations.catalog import version_priority
from memkube.registry.declarations.resource import Resource
from memkube.registry.registry import Registry
from memkube.registry.store import Store


def named_store(registry: Registry, name: str) -> Store:
    """Return the store of a resource by a name that kubectl accepts, such as ``deploy`` or ``widgets.example.com``.

    Raises ApiError 404 for an unknown name; the message suggests a similar known name.
    """
    word, _, group = name.lower().partition(".")
    named = [r for r in registry.catalog if word in _all_names(r) and _is_in(r, group) and "get" in r.verbs]
    if not named:
        known = sorted(
            {known for resource in registry.catalog if "get" in resource.verbs for known in _all_names(resource)}
        )
        nearest = get_close_matches(word, known, n=1)
        hint = f": did you mean {nearest[0]!r}?" if nearest else ""
        raise ApiError(404, "NotFound", f"the server doesn't have a resource type {name!r}{hint}")
    groups = list(registry.catalog.groups)
    named.sort(key=lambda r: (groups.index(r.group), version_priority(r.version)))
    return registry.store(named[0])


def _all_names(resource: Resource) -> tuple[str, ...]:
    return (resource.plural, resource.singular, resource.kind.lower(), *resource.short_names)


def _is_in(resource: Resource, group: str) -> bool:
    """Return True if `group`, such as ``apps`` or ``v1.apps``, names the resource's group, or version and group."""
    return group in ("", resource.group, f"{resource.version}.{resource.group}".rstrip("."))
