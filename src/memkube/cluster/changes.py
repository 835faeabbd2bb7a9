"""Changes of a cluster's objects since a revision."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from memkube.registry.declarations.catalog import version_priority
from memkube.registry.declarations.request_options import ListOptions
from memkube.registry.objects.stored import StoredObject
from memkube.registry.registry import Registry
from memkube.registry.store import Store
from memkube.telemetry.differences import differing_lines

_Key = tuple[str, str, str]
_LINES_OF_AN_OBJECT: Final = 40
_SIGNS: Final = {"created": "+", "changed": "~", "deleted": "-"}
_NOISE: Final = frozenset({("", "events"), ("events.k8s.io", "events"), ("coordination.k8s.io", "leases")})


@dataclass(frozen=True, slots=True)
class ObjectChange:
    """The creation, change or deletion of an object, as the difference between two revisions of the cluster."""

    what: str
    """``created``, ``changed`` or ``deleted``."""
    name: str
    """Resource, namespace and name of the object, such as ``deployments.apps shop/web``."""
    diff: Sequence[str]
    """Changed lines of the object's YAML, without metadata that the server maintains."""


async def current_revision(registry: Registry) -> int:
    """Return the revision of the newest write."""
    return (await registry.find("", "v1", "namespaces").list("", ListOptions(limit=1))).revision


async def changes_since(registry: Registry, revision: int) -> list[ObjectChange]:
    """Return the objects that were created, changed or deleted since a revision, without events and leases.

    Raises ApiError 410 if the revision has been compacted.
    """
    changes = []
    for store in stores(registry):
        now = {_key(o): o for o in (await store.list("", ListOptions())).items}
        past = ListOptions(resource_version=str(revision), resource_version_match="Exact")
        before = {_key(o): o for o in (await store.list("", past)).items}
        for key in sorted({*now, *before}):
            old, new = before.get(key), now.get(key)
            if old is None or new is None or old.resource_version != new.resource_version:
                changes.append(_change(store, old, new))
    return [change for change in changes if change.diff]


def shown(changes: Sequence[ObjectChange], most_lines: int) -> Iterator[str]:
    """Yield lines of text that describe changes: the name of each object, then the changed lines of its YAML.

    At most `most_lines` changed lines are shown for all objects together.
    """
    left = most_lines
    for change in changes:
        yield f"{_SIGNS[change.what]} {change.name}"
        diff = change.diff if change.what == "changed" else ()
        lines = list(diff[: min(_LINES_OF_AN_OBJECT, max(left, 0))])
        left -= len(lines)
        yield from (f"    {line}" for line in lines)
        if len(lines) < len(diff):
            yield f"    ... {len(diff) - len(lines)} more lines"


def stores(registry: Registry) -> Iterator[Store]:
    """Yield the store of each stored resource once, in its preferred version, except those of events and leases."""
    by_name: dict[tuple[str, str], Store] = {}
    resources = [r for r in registry.catalog if "list" in r.verbs and not r.is_computed]
    for resource in sorted(resources, key=lambda r: version_priority(r.version)):
        kept = (resource.stored_as.group, resource.stored_as.plural)
        if kept not in _NOISE and (resource.group, resource.plural) not in _NOISE:
            by_name.setdefault(kept, registry.store(resource))
    return iter(sorted(by_name.values(), key=lambda store: str(store.resource.group_resource)))


def _key(stored: StoredObject) -> _Key:
    return stored.namespace, stored.name, stored.uid


def _change(store: Store, old: StoredObject | None, new: StoredObject | None) -> ObjectChange:
    what = "created" if old is None else "deleted" if new is None else "changed"
    stored = new or old
    assert stored is not None
    name = f"{store.resource.group_resource} {'/'.join(filter(None, (stored.namespace, stored.name)))}"
    return ObjectChange(what, name, differing_lines(old, new))
