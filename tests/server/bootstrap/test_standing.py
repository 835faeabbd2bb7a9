"""The objects that are stored at the start are equal to those that creates with Kubernetes' bodies would store."""

from functools import partial
from typing import Any

import orjson
import pytest

from memkube.apimachinery.model import Document
from memkube.apis.apiregistration.v1.apiservices.local_services import local_api_services
from memkube.apis.scheduling.v1.priorityclasses.system_classes import system_classes
from memkube.apis.storage.v1.classes import initial_class
from memkube.controllers.available import CONTROLLERS, KUBELET, PROVISIONER, ROOT_CA, SERVICE_ACCOUNT
from memkube.controllers.manager import ControllerManager
from memkube.registry.declarations.request_options import EVERYTHING
from memkube.registry.writes.initial_objects import ResourceName
from memkube.server.app import create_core
from memkube.server.bootstrap.standing import (
    SYSTEM_NAMESPACES,
    create_local_api_services,
    create_namespace_objects,
    create_standing_objects,
    create_storage_class,
    create_system_namespaces,
    create_system_priority_classes,
    create_token_tracking,
)
from memkube.server.service_network import ServerAddress, ServiceNetwork
from memkube.server.settings import Settings
from tests.server.bootstrap.creating import create

pytestmark = pytest.mark.anyio
_CLASSES = ("scheduling.k8s.io", "v1", "priorityclasses")
_NAMESPACES = ("", "v1", "namespaces")
_CONFIG_MAPS = ("", "v1", "configmaps")
_SERVICE_ACCOUNTS = ("", "v1", "serviceaccounts")
_TRACKING = "kube-apiserver-legacy-service-account-token-tracking"
_STORAGE_CLASSES = ("storage.k8s.io", "v1", "storageclasses")
_API_SERVICES = ("apiregistration.k8s.io", "v1", "apiservices")


def _comparable(document: Document) -> bytes:
    """Return an object as JSON, with its order of fields, without parts that differ between servers."""
    metadata = {**document["metadata"], "uid": "", "resourceVersion": ""}
    now = document["metadata"]["creationTimestamp"].encode()
    return orjson.dumps({**document, "metadata": metadata}).replace(now, b"now")


@pytest.mark.parametrize(
    ("resource", "place", "bodies"),
    [
        (_CLASSES, create_system_priority_classes, system_classes()),
        (_NAMESPACES, create_system_namespaces, [{"metadata": {"name": name}} for name in SYSTEM_NAMESPACES]),
        (_API_SERVICES, create_local_api_services, local_api_services({"": ["v1"], "autoscaling": ["v2", "v1"]})),
        (_STORAGE_CLASSES, partial(create_storage_class, controllers=(KUBELET, PROVISIONER)), [initial_class()]),
    ],
    ids=["priority classes", "namespaces", "local API services", "storage class"],
)
async def test_what_stands_at_start_is_as_if_it_were_created(
    resource: ResourceName, place: Any, bodies: list[Document]
) -> None:
    registry, other = (create_core(Settings(controllers=(), clock="stepped")).parts.registry for _ in range(2))
    await place(registry)
    for body in bodies:
        made = await create(other, resource, body)
        placed = await registry.find(*resource).get("", made.name)
        assert _comparable(made.document) == _comparable(placed.document)


@pytest.mark.parametrize(
    ("controller", "resource"),
    [(ROOT_CA, _CONFIG_MAPS), (SERVICE_ACCOUNT, _SERVICE_ACCOUNTS), ("scheduler", _SERVICE_ACCOUNTS)],
)
async def test_namespaces_have_what_controllers_would_create(controller: str, resource: ResourceName) -> None:
    parts, others = (create_core(Settings(controllers=(), clock="stepped")).parts for _ in range(2))
    registry, other = parts.registry, others.registry
    for each in (registry, other):
        await create_system_namespaces(each)
    await create_namespace_objects(registry, [controller])
    async with ControllerManager(others, CONTROLLERS, [controller]).running():
        await other.clock.activity.at_rest()
        made = (await other.find(*resource).list("", EVERYTHING)).items
    placed = (await registry.find(*resource).list("", EVERYTHING)).items
    assert [_comparable(one.document) for one in placed] == [_comparable(one.document) for one in made]
    assert len(placed) == (4 if controller != "scheduler" else 0)


async def test_controllers_leave_what_stands_at_start_as_it_is() -> None:
    parts = create_core(Settings(controllers=(), clock="stepped")).parts
    registry, controllers = parts.registry, (ROOT_CA, SERVICE_ACCOUNT)
    await create_standing_objects(registry, controllers=controllers)
    before = (await registry.find(*_CONFIG_MAPS).list("", EVERYTHING)).revision
    async with ControllerManager(parts, CONTROLLERS, controllers).running():
        await registry.clock.activity.at_rest()
        assert (await registry.find(*_CONFIG_MAPS).list("", EVERYTHING)).revision == before


@pytest.mark.parametrize("controllers", [(), (KUBELET,), (PROVISIONER,)])
async def test_only_clusters_with_nodes_and_a_provisioner_have_a_storage_class(controllers: tuple[str, ...]) -> None:
    registry = create_core(Settings(controllers=(), clock="stepped")).parts.registry
    await create_storage_class(registry, controllers)
    assert not (await registry.find(*_STORAGE_CLASSES).list("", EVERYTHING)).items


async def test_the_group_of_api_services_is_no_service_itself() -> None:
    assert local_api_services({"apiregistration.k8s.io": ["v1"], "example.com": ["v1"]}) == []


async def test_old_tokens_are_tracked_since_the_server_started() -> None:
    registry, other = (create_core(Settings(controllers=(), clock="stepped")).parts.registry for _ in range(2))
    await create_token_tracking(registry)
    placed = (await registry.find(*_CONFIG_MAPS).get("kube-system", _TRACKING)).document
    await create_system_namespaces(other)
    body = {"metadata": {"name": _TRACKING}, "data": placed["data"]}
    made = await create(other, _CONFIG_MAPS, body, "kube-system")
    assert placed["data"] == {"since": placed["metadata"]["creationTimestamp"][:10]}
    assert _comparable(made.document) == _comparable(placed)


async def test_what_somebody_did_not_get_done_is_made_up_for() -> None:
    registry = create_core(Settings(controllers=())).parts.registry
    await create_standing_objects(registry)
    before = {stored.name: stored.uid for stored in (await registry.find(*_CLASSES).list("", EVERYTHING)).items}
    await registry.backend.storage.delete("/scheduling.k8s.io/priorityclasses/system-node-critical")
    await create_standing_objects(registry)
    after = {stored.name: stored.uid for stored in (await registry.find(*_CLASSES).list("", EVERYTHING)).items}
    assert after.keys() == before.keys()
    assert [name for name in after if after[name] != before[name]] == ["system-node-critical"]


async def test_what_stands_differs_from_server_to_server_in_what_is_its_own() -> None:
    texts, uids = [], []
    for clock in ("stepped", "real"):
        registry = create_core(Settings(controllers=(), clock=clock)).parts.registry
        await create_standing_objects(registry, ServiceNetwork(ServerAddress("10.1.2.3", 8001)), controllers=(ROOT_CA,))
        events = await registry.backend.storage.watch("/", after=0).next(10)
        assert [event.revision for event in events] == list(range(1, len(events) + 1))
        assert [event.value.resource_version for event in events] == [str(event.revision) for event in events]
        documents = [event.value.document for event in events]
        uids += [document["metadata"]["uid"] for document in documents]
        texts.append([_comparable(one) for one in documents if one["metadata"]["name"] != _TRACKING])
    assert texts[0] == texts[1]
    assert len(set(uids)) == 2 * (len(texts[0]) + 1)
    assert b"@" not in b"".join(texts[0])
