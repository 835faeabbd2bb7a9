from typing import Any

import pytest

from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.model import Document
from memkube.registry.declarations.request_options import ListOptions, WriteContext
from memkube.registry.registry import Registry
from memkube.server.app import create_core
from memkube.server.bootstrap.standing import create_system_namespaces
from memkube.server.settings import Settings
from tests.server.bootstrap.creating import create

RANGES = ("networking.k8s.io", "v1", "servicecidrs")


class Network:
    """A registry whose Services get addresses and ports from the ranges that a test gives."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry

    async def add_range(self, name: str, *blocks: str, **metadata: Any) -> None:
        await create(self.registry, RANGES, {"metadata": {"name": name, **metadata}, "spec": {"cidrs": list(blocks)}})

    async def remove_range(self, name: str) -> None:
        await self.registry.find(*RANGES).delete(name, DeleteOptions(), WriteContext())

    async def serve(self, name: str, *, dry_run: bool = False, **spec: Any) -> Document:
        """Create a Service, and return its spec. Raises ApiError."""
        store = self.registry.find("", "v1", "services")
        document = {"metadata": {"name": name}, "spec": {"ports": [{"port": 80}], **spec}}
        made = await store.create(
            store.resource.model.from_document(document), WriteContext(namespace="default", dry_run=dry_run)
        )
        spec_made: Document = made.document["spec"]
        return spec_made

    async def change(self, name: str, **fields: Any) -> Document:
        """Update the spec of a Service, and return it. Raises ApiError."""

        def change(service: Any) -> None:
            for field, value in fields.items():
                setattr(service.spec, field, value)

        store = self.registry.find("", "v1", "services")
        changed: Document = (await store.update(name, change, WriteContext(namespace="default"))).document["spec"]
        return changed

    async def remove(self, name: str) -> None:
        store = self.registry.find("", "v1", "services")
        await store.delete(name, DeleteOptions(), WriteContext(namespace="default"))

    async def addresses(self) -> list[str]:
        """Return the names of all IPAddress objects."""
        listed = await self.registry.find("networking.k8s.io", "v1", "ipaddresses").list("", ListOptions())
        return [stored.name for stored in listed.items]


@pytest.fixture
async def network() -> Network:
    registry = create_core(Settings(controllers=(), clock="stepped")).parts.registry
    await create_system_namespaces(registry)
    return Network(registry)
