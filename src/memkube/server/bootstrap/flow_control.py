"""The initial FlowSchemas and PriorityLevelConfigurations (``pkg/registry/flowcontrol/rest``, ``ensurer``).

At the start they are stored directly: creating them like clients' objects would import models and build schemas, which
takes longer than the rest of the server's start.
"""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Any, Final

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.model import Document
from memkube.apimachinery.time import Time
from memkube.apis.flowcontrol.v1.objects import (
    CONDITION_MANAGER,
    dangling_condition,
    mandatory_levels,
    mandatory_schemas,
    suggested_levels,
    suggested_schemas,
)
from memkube.registry.declarations.request_options import EVERYTHING, WriteContext
from memkube.registry.registry import Registry
from memkube.registry.store import Store
from memkube.registry.writes.initial_objects import InitialObject, Owned, ResourceName
from memkube.time.clock import written_now

_GROUP: Final = "flowcontrol.apiserver.k8s.io"
_LEVELS: Final[ResourceName] = (_GROUP, "v1", "prioritylevelconfigurations")
_SCHEMAS: Final[ResourceName] = (_GROUP, "v1", "flowschemas")
_PRODUCER: Final = "api-priority-and-fairness-config-producer-v1"
_ANNOTATION: Final = "apf.kubernetes.io/autoupdate-spec"
_TRUE: Final = frozenset({"1", "t", "T", "true", "TRUE", "True"})
_FALSE: Final = frozenset({"0", "f", "F", "false", "FALSE", "False"})
_OPTIONAL_STRUCTS: Final = frozenset({"limited", "limitResponse", "exempt", "queuing", "distinguisherMethod"})
"""Names of optional struct fields. In managedFields, a manager owns such a struct as well as the fields in it."""


async def create_flow_control_objects(registry: Registry) -> None:
    """Store the PriorityLevelConfigurations and FlowSchemas, in the order of kube-apiserver."""
    await registry.store_initial(*_objects(written_now(registry.clock)))


# Cached for test runs, in which several servers of one process start within the same second: their objects are equal,
# because times in objects are whole seconds.
@lru_cache(maxsize=1)
def _objects(now: Time) -> Sequence[InitialObject]:
    made = list[InitialObject]()
    for level_specs, schema_specs in (
        (suggested_levels(), suggested_schemas()),
        (mandatory_levels(), mandatory_schemas()),
    ):
        for name, spec in level_specs.items():
            document = {"metadata": _metadata(name), "spec": spec, "status": {}}
            made.append(InitialObject(_LEVELS, document, [_owned_spec(spec)]))
        for name, spec in schema_specs.items():
            condition = dangling_condition(spec["priorityLevelConfiguration"]["name"], found=True, since=now)
            document = {"metadata": _metadata(name), "spec": spec, "status": {"conditions": [condition]}}
            made.append(InitialObject(_SCHEMAS, document, [_owned_status(condition), _owned_spec(spec)]))
    return made


async def maintain_flow_control_objects(registry: Registry) -> None:
    """Recreate the server's FlowSchemas and PriorityLevelConfigurations, or restore their specs.

    The spec of a suggested object is only restored if its annotation ``apf.kubernetes.io/autoupdate-spec`` is true, or
    if the annotation is missing and the spec was never changed. An object with this annotation that is not one of the
    server's was created by an older version of Kubernetes, and is deleted if the annotation is true.

    Raises ApiError if a write is rejected.
    """
    for resource, specs, is_mandatory in _bootstrap_specs():
        store = registry.find(*resource)
        for name, spec in specs.items():
            await _ensure(store, name, spec, is_mandatory=is_mandatory)
    for resource in (_SCHEMAS, _LEVELS):
        names = {name for owner, specs, _ in _bootstrap_specs() if owner == resource for name in specs}
        await _remove_unwanted(registry.find(*resource), names)


def _bootstrap_specs() -> Iterator[tuple[ResourceName, Mapping[str, Document], bool]]:
    """Yield a resource, the specs of the server's objects by name, and True if these objects are mandatory."""
    yield _LEVELS, suggested_levels(), False
    yield _SCHEMAS, suggested_schemas(), False
    yield _LEVELS, mandatory_levels(), True
    yield _SCHEMAS, mandatory_schemas(), True


async def _ensure(store: Store, name: str, spec: Document, *, is_mandatory: bool) -> None:
    context = WriteContext(manager=_PRODUCER)
    try:
        current = (await store.get("", name)).document
    except ApiError as error:
        if error.reason != "NotFound":
            raise
        kind = {"kind": store.resource.kind, "apiVersion": store.resource.api_version}
        metadata = {"name": name, "annotations": {_ANNOTATION: "true"}}
        await store.create(store.resource.model.from_document({**kind, "metadata": metadata, "spec": spec}), context)
        return
    annotated = _flag(current)
    updates_spec = is_mandatory or (current["metadata"]["generation"] == 1 if annotated is None else annotated)
    has_changed = updates_spec and not _is_like(current["spec"], spec)
    if not has_changed and annotated is updates_spec:
        return

    def change(obj: Any) -> None:
        obj.metadata.annotations[_ANNOTATION] = "true" if updates_spec else "false"
        if has_changed:
            obj.spec = type(obj.spec).from_document(spec)

    await store.update(name, change, context)


def _is_like(current: Document, spec: Document) -> bool:
    """Return True if the stored spec `current` has all values of `spec`, the server's own, that clients may not change.

    Clients may change only the limits of the exempt PriorityLevelConfiguration. For all other objects, both specs must
    be equal.
    """
    if spec.get("type") == "Exempt" and "exempt" in current:
        return {**current, "exempt": spec["exempt"]} == spec
    return current == spec


def _flag(document: Document) -> bool | None:
    """Return the value of the annotation that makes kube-apiserver update the spec; None if it is not a boolean."""
    value = document["metadata"].get("annotations", {}).get(_ANNOTATION)
    return value in _TRUE if value in _TRUE | _FALSE else None


async def _remove_unwanted(store: Store, wanted: AbstractSet[str]) -> None:
    """Delete the objects whose name is not in `wanted` and whose annotation lets Kubernetes update them."""
    for stored in (await store.list("", EVERYTHING)).items:
        if stored.name not in wanted and _flag(stored.document):
            await store.delete(stored.name, DeleteOptions(), WriteContext(manager=_PRODUCER))


def _metadata(name: str) -> Document:
    return {"name": name, "generation": 1, "annotations": {_ANNOTATION: "true"}}


def _owned_spec(spec: Document) -> Owned:
    annotations: Document = {"f:annotations": {".": {}, f"f:{_ANNOTATION}": {}}}
    return Owned({"f:metadata": annotations, "f:spec": _fields(spec)}, _PRODUCER)


def _owned_status(condition: Document) -> Owned:
    owned = {"f:conditions": {'k:{"type":"Dangling"}': {".": {}, **_fields(condition)}}}
    return Owned({"f:status": owned}, CONDITION_MANAGER, "Apply", "status")


def _fields(values: Mapping[str, Any]) -> Document:
    """Return the managedFields entry (FieldsV1) of a struct in a flow control object. A list is owned as a whole."""
    fields: Document = {}
    for name, value in sorted(values.items()):
        inner = _fields(value) if isinstance(value, dict) else {}
        fields[f"f:{name}"] = {".": {}, **inner} if name in _OPTIONAL_STRUCTS else inner
    return fields
