"""The initial roles and bindings of a server with RBAC (``pkg/registry/rbac/rest``)."""

import logging
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions, Preconditions
from memkube.apimachinery.model import Document
from memkube.auth.authorization.bootstrap_policy.objects import (
    GROUP,
    cluster_role_bindings,
    cluster_roles,
    role_bindings,
    roles,
)
from memkube.auth.authorization.bootstrap_policy.reconciliation import has_other_role, is_protected, reconciled
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.objects.stored import StoredObject
from memkube.registry.registry import Registry
from memkube.registry.store import Store
from memkube.registry.writes.initial_objects import API_SERVER, InitialObject, Owned

_LOGGER: Final = logging.getLogger("memkube")
_ATTEMPTS: Final = 3
_MISSING: Final = 404
_CONFLICT: Final = 409


async def create_bootstrap_policy(registry: Registry) -> None:
    """Store the roles and bindings of the bootstrap policy.

    Missing rules and subjects are added to existing roles and bindings, unless these are annotated with
    ``rbac.authorization.kubernetes.io/autoupdate: "false"``.
    """
    objects = _bootstrap_policy()
    if await registry.store_initial(*objects) == len(objects):
        return
    for initial in objects:
        try:
            await _reconcile(registry, initial)
        except ApiError as error:
            resource = f"{initial.resource[2]}.{GROUP}"
            _LOGGER.error("unable to reconcile %s/%s: %s", resource, initial.name, error.message)


async def _reconcile(registry: Registry, initial: InitialObject) -> None:
    """Make the stored role or binding contain at least the rules or subjects of `initial`, an object of the policy.

    Raises ApiError if admission rejects the change.
    """
    store = registry.find(*initial.resource)
    for _ in range(_ATTEMPTS):
        try:
            stored = await store.get(initial.namespace, initial.name)
            await _reconcile_stored(registry, store, stored, initial)
            return
        except ApiError as error:
            # The update failed because another server on the same storage has changed or deleted the object at the same
            # time.
            if error.code not in (_MISSING, _CONFLICT):
                raise
            await registry.store_initial(initial)


async def _reconcile_stored(registry: Registry, store: Store, stored: StoredObject, initial: InitialObject) -> None:
    """Add the rules or subjects of `initial` that `stored` lacks, or recreate a binding that has another role.

    An object with the annotation ``autoupdate: "false"`` is left unchanged. Raises ApiError if a write fails.
    """
    existing, expected = stored.document, initial.document
    context = WriteContext(namespace=initial.namespace, manager=API_SERVER)
    if is_protected(existing):
        return
    if has_other_role(existing, expected):
        preconditions = Preconditions(uid=stored.uid)
        await store.delete(initial.name, DeleteOptions(preconditions=preconditions), context)
        await registry.store_initial(initial)
        return
    wanted = reconciled(existing, expected)
    if wanted == existing:
        return
    _LOGGER.info("adding what is missing to %s.%s/%s", initial.resource[2], GROUP, initial.name)
    await store.replace(initial.name, lambda: store.resource.model.from_document(wanted), context)


@cache
def _bootstrap_policy() -> Sequence[InitialObject]:
    sorts = {
        "clusterroles": cluster_roles(),
        "clusterrolebindings": cluster_role_bindings(),
        "roles": roles(),
        "rolebindings": role_bindings(),
    }
    return [
        InitialObject((GROUP, "v1", plural), document, [Owned(dict(_owned(document)))])
        for plural, documents in sorts.items()
        for document in documents
    ]


def _owned(document: Document) -> Iterator[tuple[str, Document]]:
    """Yield the fields of a role or binding, sorted by name, in the format of managed fields (FieldsV1)."""
    for name in sorted(document):
        if name == "metadata":
            yield "f:metadata", {f"f:{part}": _keys(document[name][part]) for part in ("annotations", "labels")}
        elif name == "aggregationRule":
            yield "f:aggregationRule", _keys(document[name])
        elif document[name] is not None:
            yield f"f:{name}", {}


def _keys(values: Document) -> Document:
    return {".": {}, **{f"f:{key}": {} for key in sorted(values)}}
