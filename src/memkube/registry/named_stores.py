"""Stores by the names that people give resources."""

from memkube.apimachinery.errors import ApiError
from memkube.registry.declarations.catalog import version_priority
from memkube.registry.declarations.resource import Resource
from memkube.registry.registry import Registry
from memkube.registry.store import Store


def named_store(registry: Registry, name: str) -> Store:
    """The store of a resource by the names that kubectl knows, such as ``deploy`` or ``widgets.example.com``.

    Raises ApiError 404.
    """
    word, _, group = name.lower().partition(".")
    named = [r for r in registry.catalog if word in _names(r) and _is_in(r, group) and "get" in r.verbs]
    if not named:
        raise ApiError(404, "NotFound", f"the server doesn't have a resource type {name!r}")
    groups = list(registry.catalog.groups())
    named.sort(key=lambda r: (groups.index(r.group), version_priority(r.version)))
    return registry.store(named[0])


def _names(resource: Resource) -> tuple[str, ...]:
    return (resource.plural, resource.singular, resource.kind.lower(), *resource.short_names)


def _is_in(resource: Resource, group: str) -> bool:
    """Whether a resource is in what stands behind the first dot: a group, or a version and a group."""
    return group in ("", resource.group, f"{resource.version}.{resource.group}".rstrip("."))
