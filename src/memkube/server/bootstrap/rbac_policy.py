"""The initial roles and bindings of a server with RBAC (``pkg/registry/rbac/rest``)."""

from collections.abc import Iterator, Sequence
from functools import cache

from memkube.apimachinery.model import Document
from memkube.auth.authorization.bootstrap_policy.objects import (
    GROUP,
    cluster_role_bindings,
    cluster_roles,
    role_bindings,
    roles,
)
from memkube.registry.registry import Registry
from memkube.registry.writes.placing import Owned, Placement


async def create_bootstrap_policy(registry: Registry) -> None:
    """Store the roles and bindings of the bootstrap policy. Objects that exist are kept."""
    await registry.place(*_placements())


@cache
def _placements() -> Sequence[Placement]:
    sorts = {
        "clusterroles": cluster_roles(),
        "clusterrolebindings": cluster_role_bindings(),
        "roles": roles(),
        "rolebindings": role_bindings(),
    }
    return [
        Placement((GROUP, "v1", plural), document, [Owned(dict(_owned(document)))])
        for plural, documents in sorts.items()
        for document in documents
    ]


def _owned(document: Document) -> Iterator[tuple[str, Document]]:
    """Yield the managed fields of a role or binding, sorted by name."""
    for name in sorted(document):
        if name == "metadata":
            yield "f:metadata", {f"f:{part}": _keys(document[name][part]) for part in ("annotations", "labels")}
        elif name == "aggregationRule":
            yield "f:aggregationRule", _keys(document[name])
        elif document[name] is not None:
            yield f"f:{name}", {}


def _keys(values: Document) -> Document:
    return {".": {}, **{f"f:{key}": {} for key in sorted(values)}}
