"""FlowSchemas and priority levels that a server begins with (``pkg/registry/flowcontrol/rest``, ``ensurer``).

They are stored ready made: through the verbs, importing the models and putting their schemas together would take
longer than everything else that a server does before it answers.
"""

from collections.abc import Mapping
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
from memkube.registry.clock import written_now
from memkube.registry.registry import Registry

_GROUP: Final = "flowcontrol.apiserver.k8s.io"
_PRODUCER: Final = "api-priority-and-fairness-config-producer-v1"
_ANNOTATION: Final = "apf.kubernetes.io/autoupdate-spec"
_OPTIONAL_STRUCTS: Final = frozenset({"limited", "limitResponse", "exempt", "queuing", "distinguisherMethod"})
"""Structs that can be left out, so that who sets them owns them as such too."""


async def create_flow_control_objects(registry: Registry) -> None:
    """Stores them in the order of the reference; no schema names a level that is not there."""
    now = written_now(registry.clock)
    for levels, schemas in (
        (suggested_levels(), suggested_schemas()),
        (mandatory_levels(), mandatory_schemas()),
    ):
        store = registry.find(_GROUP, "v1", "prioritylevelconfigurations")
        for name, spec in levels.items():
            await store.store_ready_made(_level(name, spec, now))
        store = registry.find(_GROUP, "v1", "flowschemas")
        for name, spec in schemas.items():
            await store.store_ready_made(_schema(name, spec, now))


def _level(name: str, spec: Document, now: Time) -> Document:
    return {"metadata": _metadata(name, [_owned_spec(spec, now)]), "spec": spec, "status": {}}


def _schema(name: str, spec: Document, now: Time) -> Document:
    condition = dangling_condition(spec["priorityLevelConfiguration"]["name"], found=True, since=now)
    owned = {"f:conditions": {'k:{"type":"Dangling"}': {".": {}, **_fields(condition)}}}
    entry = _entry(CONDITION_MANAGER, "Apply", now, {"f:status": owned})
    metadata = _metadata(name, [{**entry, "subresource": "status"}, _owned_spec(spec, now)])
    return {"metadata": metadata, "spec": spec, "status": {"conditions": [condition]}}


def _metadata(name: str, managed_fields: list[Document]) -> Document:
    return {"name": name, "generation": 1, "annotations": {_ANNOTATION: "true"}, "managedFields": managed_fields}


def _owned_spec(spec: Document, now: Time) -> Document:
    annotations: Document = {"f:annotations": {".": {}, f"f:{_ANNOTATION}": {}}}
    return _entry(_PRODUCER, "Update", now, {"f:metadata": annotations, "f:spec": _fields(spec)})


def _entry(manager: str, operation: str, now: Time, fields: Document) -> Document:
    return {
        "manager": manager,
        "operation": operation,
        "apiVersion": f"{_GROUP}/v1",
        "time": now,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }


def _fields(values: Mapping[str, Any]) -> Document:
    """The fields of a struct as their owner has them; lists are owned as a whole."""
    fields: Document = {}
    for name, value in sorted(values.items()):
        inner = _fields(value) if isinstance(value, dict) else {}
        fields[f"f:{name}"] = {".": {}, **inner} if name in _OPTIONAL_STRUCTS else inner
    return fields
