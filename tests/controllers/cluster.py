"""A registry with controllers on a stepped clock, without HTTP."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

from pydantic import Field

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.model import ApiModel, Document
from memkube.apimachinery.scalars import Int32
from memkube.controllers.available import CONTROLLERS, selected_names
from memkube.controllers.framework.parts import ControllerParts
from memkube.controllers.manager import ControllerManager
from memkube.controllers.options import ControllerOptions
from memkube.registry.declarations.kinds import KindName
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.resource import Resource
from memkube.registry.declarations.strategy import Strategy
from memkube.registry.declarations.table import NAME_AND_AGE
from memkube.registry.objects.stored import StoredObject
from memkube.registry.store import Store
from memkube.server.app import create_core
from memkube.server.bootstrap.standing import create_system_namespaces, create_system_priority_classes
from memkube.server.service_network import ServiceNetwork, create_service_range
from memkube.server.settings import Settings
from memkube.time.clock import SteppedClock

CONTAINERS = [{"name": "app", "image": "nginx:1.27"}]
READY = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}


class Cluster:
    """Reads and writes objects in the namespace ``default`` as a user would."""

    def __init__(self, parts: ControllerParts, manager: ControllerManager) -> None:
        self.parts = parts
        self.manager = manager
        self.registry = parts.registry
        clock = self.registry.clock
        assert isinstance(clock, SteppedClock)
        self.clock = clock

    def store(self, plural: str) -> Store:
        resource = next(r for r in self.registry.catalog if r.plural == plural)
        return self.registry.store(resource)

    async def create(self, document: Document, namespace: str = "default") -> StoredObject:
        """Store an object with its status, and wait until the controllers have reacted."""
        resource = self.registry.catalog.of_kind(KindName.of(document["apiVersion"], document["kind"]))
        assert resource is not None
        context = WriteContext(namespace=namespace if resource.namespaced else "", manager="user")
        stored = await self.registry.store(resource).create(resource.model.from_document(document), context)
        if "status" in document and resource.plural != "namespaces":
            stored = await self.change(resource.plural, stored.name, namespace, "status", status=document["status"])
        await self.settle()
        return stored

    async def change(
        self, plural: str, name: str, namespace: str = "default", subresource: str = "", **fields: Any
    ) -> StoredObject:
        """Replace top-level fields of an object, or, under `metadata`, fields of its metadata."""
        store = self.store(plural)

        part = store.resource.subresource(subresource)
        context = WriteContext(namespace=namespace if store.resource.namespaced else "", manager="user")
        current = (await store.get(context.namespace, name)).document
        new = {**current, "metadata": {**current["metadata"], **fields.pop("metadata", {})}, **fields}
        stored, _ = await store.replace(name, lambda: store.resource.model.from_document(new), context, part)
        await self.settle()
        return stored

    async def delete(self, plural: str, name: str, policy: str | None = None, namespace: str = "default") -> None:
        """Delete an object, and wait until the controllers have reacted."""
        store = self.store(plural)
        context = WriteContext(namespace=namespace if store.resource.namespaced else "", manager="user")
        await store.delete(name, DeleteOptions(propagationPolicy=policy), context)
        await self.settle()

    async def get(self, plural: str, name: str, namespace: str = "default") -> Document | None:
        """Return an object as it is stored; None if it does not exist."""
        try:
            return (await self.store(plural).get(namespace, name)).document
        except ApiError:
            return None

    async def settle(self) -> None:
        await self.clock.activity.at_rest()


@asynccontextmanager
async def running(
    *controllers: str, nodes: int = 1, zones: int = 1, options: ControllerOptions | None = None, **settings: Any
) -> AsyncIterator[Cluster]:
    """Run a cluster with these controllers during the block. If the kubelet is one of them, the cluster has nodes."""
    options = options or ControllerOptions(nodes=nodes, zones=zones)
    names = selected_names(",".join(controllers))
    parts = create_core(Settings(clock="stepped", controllers=names, **settings)).parts
    await create_system_namespaces(parts.registry)
    await create_system_priority_classes(parts.registry)
    await create_service_range(parts.registry, ServiceNetwork())
    manager = ControllerManager(parts, CONTROLLERS, names, options)
    parts.registry.kind_services.resource_usage = lambda: manager.kubelet.resource_usage if manager.kubelet else None
    async with manager.running():
        cluster = Cluster(parts, manager)
        await cluster.settle()
        yield cluster


def config_map(name: str, *owners: Document, **metadata: Any) -> Document:
    """Return a ConfigMap that is owned by `owners`."""
    references = {"ownerReferences": list(owners)} if owners else {}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **references, **metadata}}


def owned_by(owner: StoredObject, **fields: Any) -> Document:
    """Return an owner reference."""
    document = owner.document
    return {
        "apiVersion": document["apiVersion"],
        "kind": document["kind"],
        "name": owner.name,
        "uid": owner.uid,
        **fields,
    }


def pod(name: str, status: Document | None = None, **metadata: Any) -> Document:
    """Return a pod with the label ``app: web``."""
    metadata = {"name": name, "labels": {"app": "web"}, **metadata}
    document = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": CONTAINERS}}
    return {**document, "status": status} if status else document


class WidgetSpec(ApiModel):
    replicas: Int32 = Field(default=0)


class Widget(ApiObject):
    spec: WidgetSpec = Field(default_factory=WidgetSpec)


def widgets(group: str, kind: str, *, namespaced: bool = True) -> Resource:
    """Return a kind with a number of replicas, which can be added to a running server."""
    return Resource(
        group=group,
        version="v1",
        kind=kind,
        plural=f"{kind.lower()}s",
        singular=kind.lower(),
        model=Widget,
        strategy=Strategy(),
        printer=NAME_AND_AGE,
        namespaced=namespaced,
    )


def instant(written: str) -> datetime:
    return datetime.fromisoformat(written).astimezone(UTC)
