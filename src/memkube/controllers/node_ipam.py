"""Allocates pod CIDRs to nodes that have none (``pkg/controller/nodeipam``, the range allocator)."""

from collections.abc import Iterable
from contextlib import suppress
from ipaddress import IPv4Network
from typing import Final

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.ip_addresses import parse_cidr
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apis.core.v1.nodes.types import Node
from memkube.controllers.framework.event_recorder import EventRecorder
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.work_queue import TryAgain
from memkube.controllers.node_lifecycle.pods import reference_to_node, status_change
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject

CLUSTER_RANGE: Final = IPv4Network("10.240.0.0/12")
"""Range of all pod addresses. It includes the pod CIDRs of simulated nodes, which begin with 10.244.1.0/24."""
_NODE_BITS: Final = 24
_ATTEMPTS: Final = 3
_NODES: Final = ("", "v1", "nodes")


class NoBlockLeft(Exception):
    """Raised if all pod CIDRs in the cluster's range are allocated."""


class CidrSet:
    """The CIDR blocks of equal size in a network, each of them free or allocated (``cidrset.CidrSet``)."""

    def __init__(self, network: IPv4Network, block_bits: int) -> None:
        self._first = int(network.network_address)
        self._size = 1 << (network.max_prefixlen - block_bits)
        self._bits = block_bits
        self._count = network.num_addresses // self._size
        self._allocated: set[int] = set()
        self._next = 0

    def allocate(self) -> IPv4Network:
        """Allocate the next free CIDR block. Raises NoBlockLeft if none is free."""
        if len(self._allocated) == self._count:
            raise NoBlockLeft
        while self._next in self._allocated:
            self._next = (self._next + 1) % self._count
        number, self._next = self._next, (self._next + 1) % self._count
        self._allocated.add(number)
        return IPv4Network((self._first + number * self._size, self._bits))

    def occupy(self, network: IPv4Network) -> None:
        """Mark all blocks that overlap with this network as allocated."""
        self._allocated.update(self._numbers(network))

    def release(self, network: IPv4Network) -> None:
        """Mark all blocks that overlap with this network as free."""
        self._allocated.difference_update(self._numbers(network))

    def _numbers(self, network: IPv4Network) -> Iterable[int]:
        first = (int(network.network_address) - self._first) // self._size
        last = (int(network.broadcast_address) - self._first) // self._size
        return range(max(first, 0), min(last + 1, self._count))


class NodeIpamController:
    """Allocates a pod CIDR to each node that has none. Pod CIDRs outside of the cluster's range are ignored."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._events = EventRecorder(runtime, "cidrAllocator")
        self._queue = runtime.queue("cidrallocator_node", self._sync)
        self._blocks = CidrSet(CLUSTER_RANGE, _NODE_BITS)
        self._nodes = runtime.informers.of(*_NODES)
        self._nodes.subscribe(self._on_node)

    def _on_node(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None and old is not None:
            for network in _networks_of(old):
                self._blocks.release(network)
        elif new is not None:
            for network in _networks_of(new):
                self._blocks.occupy(network)
            self._queue.add(new.name)

    async def _sync(self, name: str) -> None:
        node, resource = self._nodes.get("", name), self._runtime.catalog.find(*_NODES)
        if node is None or resource is None or "deletionTimestamp" in node.document["metadata"]:
            return
        if _blocks_of(node):
            return
        try:
            network = self._blocks.allocate()
        except NoBlockLeft:
            await self._events.record(reference_to_node(node), status_change(name, "CIDRNotAvailable"))
            raise TryAgain from None
        try:
            blocks = await self._assign(node, resource, str(network))
        except ApiError:
            self._blocks.release(network)
            await self._events.record(reference_to_node(node), status_change(name, "CIDRAssignmentFailed"))
            raise
        if blocks != [str(network)]:
            self._blocks.release(network)

    async def _assign(self, node: StoredObject, resource: Resource, block: str) -> list[str]:
        """Write the pod CIDR `block` into a node that has none, and return the pod CIDRs that the node then has.

        `resource` is the API resource ``nodes``. Raises ApiError if the write fails.
        """

        def change(obj: ApiObject) -> None:
            assert isinstance(obj, Node)
            if not obj.spec.podCIDRs:
                obj.spec.podCIDR, obj.spec.podCIDRs = block, [block]

        for _ in range(_ATTEMPTS - 1):
            with suppress(ApiError):
                return _blocks_of(await self._runtime.client.update(resource, node, change))
        return _blocks_of(await self._runtime.client.update(resource, node, change))


def _blocks_of(node: StoredObject) -> list[str]:
    blocks: list[str] = node.document["spec"].get("podCIDRs") or []
    return blocks


def _networks_of(node: StoredObject) -> Iterable[IPv4Network]:
    """Return the IPv4 networks in a node's ``podCIDRs``."""
    for written in _blocks_of(node):
        block = parse_cidr(written)
        if block is not None and block.is_ipv4:
            yield IPv4Network(str(block))
