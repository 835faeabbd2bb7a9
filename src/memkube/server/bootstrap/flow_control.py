"""The initial FlowSchemas and PriorityLevelConfigurations (``pkg/registry/flowcontrol/rest``, ``ensurer``).

They are stored directly: creating them like clients' objects would import models and build schemas, which takes longer
than the rest of the server's start.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

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
from memkube.registry.registry import Registry
from memkube.registry.writes.initial_objects import InitialObject, Owned
from memkube.time.clock import written_now

_GROUP: Final = "flowcontrol.apiserver.k8s.io"
_PRODUCER: Final = "api-priority-and-fairness-config-producer-v1"
_ANNOTATION: Final = "apf.kubernetes.io/autoupdate-spec"
_OPTIONAL_STRUCTS: Final = frozenset({"limited", "limitResponse", "exempt", "queuing", "distinguisherMethod"})
"""Names of optional struct fields. In managedFields, a manager owns such a struct as well as the fields in it."""


async def create_flow_control_objects(registry: Registry) -> None:
    """Store the PriorityLevelConfigurations and FlowSchemas, in the order of kube-apiserver."""
    await registry.store_initial(*_objects(written_now(registry.clock)))


# Cached because in a test run, several servers of one process start within a second. Times in the objects are whole
# seconds, so these servers have equal objects.
@lru_cache(maxsize=1)
def _objects(now: Time) -> Sequence[InitialObject]:
    made = list[InitialObject]()
    levels, schemas = (_GROUP, "v1", "prioritylevelconfigurations"), (_GROUP, "v1", "flowschemas")
    for level_specs, schema_specs in (
        (suggested_levels(), suggested_schemas()),
        (mandatory_levels(), mandatory_schemas()),
    ):
        for name, spec in level_specs.items():
            document = {"metadata": _metadata(name), "spec": spec, "status": {}}
            made.append(InitialObject(levels, document, [_owned_spec(spec)]))
        for name, spec in schema_specs.items():
            condition = dangling_condition(spec["priorityLevelConfiguration"]["name"], found=True, since=now)
            document = {"metadata": _metadata(name), "spec": spec, "status": {"conditions": [condition]}}
            made.append(InitialObject(schemas, document, [_owned_status(condition), _owned_spec(spec)]))
    return made


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
