"""Claims on node ports by servers that share a storage.

A claim prevents other servers from allocating the port. It is needed only until the service with the port is stored,
and expires if the server does not release it.
"""

from collections.abc import Iterable
from typing import Final
from uuid import uuid4

from memkube.apis.core.v1.services.node_ports import ports_of
from memkube.registry.registry import Registry

COLLECTION: Final = "node-ports"


class SharedPorts:
    """Claims node ports in the storage that several servers share. The claims of a killed server expire."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._shared = registry.shared_state

    async def stored(self) -> Iterable[int]:
        return ports_of(stored.document for stored in await self._registry.find("", "v1", "services").all())

    async def claim(self, port: int) -> bool:
        mine = {"claim": str(uuid4())}
        return await self._shared.first(COLLECTION, str(port), mine) == mine

    async def release(self, port: int) -> None:
        await self._shared.delete(COLLECTION, str(port))
