import json
import re

import pytest

from memkube.apis.flowcontrol.v1.objects import (
    mandatory_levels,
    mandatory_schemas,
    suggested_levels,
    suggested_schemas,
)
from memkube.registry.declarations.request_options import ListOptions, WriteContext
from memkube.registry.registry import Registry
from memkube.server.app import create_core
from memkube.server.bootstrap.flow_control import create_flow_control_objects
from memkube.server.settings import Settings

LEVELS, SCHEMAS = "prioritylevelconfigurations", "flowschemas"
PRODUCER = "api-priority-and-fairness-config-producer-v1"
DIFFERENT = re.compile('"(uid|resourceVersion|creationTimestamp|time|lastTransitionTime)": "[^"]*"')


def new_registry() -> Registry:
    return create_core(Settings(controllers=())).parts.registry


async def create_by_the_verbs(registry: Registry) -> None:
    everything = {LEVELS: {**suggested_levels(), **mandatory_levels()}}
    everything[SCHEMAS] = {**suggested_schemas(), **mandatory_schemas()}
    annotations = {"apf.kubernetes.io/autoupdate-spec": "true"}
    for plural, specs in everything.items():
        store = registry.find("flowcontrol.apiserver.k8s.io", "v1", plural)
        kind = {"kind": store.resource.kind, "apiVersion": store.resource.api_version}
        for name, spec in specs.items():
            metadata = {"name": name, "annotations": annotations}
            obj = store.resource.model.from_document({**kind, "metadata": metadata, "spec": spec})
            await store.create(obj, WriteContext(manager=PRODUCER))


async def texts(registry: Registry, plural: str) -> list[str]:
    """Return the objects as JSON, without parts that differ between servers."""
    store = registry.find("flowcontrol.apiserver.k8s.io", "v1", plural)
    listed = await store.list("", ListOptions())
    return [DIFFERENT.sub("", json.dumps(stored.document)) for stored in listed.items]


@pytest.mark.anyio
@pytest.mark.parametrize(("plural", "count"), [(LEVELS, 8), (SCHEMAS, 11)])
async def test_what_is_stored_ready_made_is_as_the_verbs_make_it(plural: str, count: int) -> None:
    ready, made = new_registry(), new_registry()
    await create_flow_control_objects(ready)
    await create_by_the_verbs(made)
    assert await texts(ready, plural) == await texts(made, plural)
    assert len(await texts(ready, plural)) == count
