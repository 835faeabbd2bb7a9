"""``/nodes``: the simulated nodes, which can be made to fail or to run short of resources, and draining of nodes."""

from collections.abc import Callable

from fastapi import APIRouter
from pydantic import BaseModel, Field

from memkube.apimachinery.quantity import Quantity
from memkube.apimachinery.strict_model import StrictModel
from memkube.control.draining import DrainedNode, DrainOptions, drain_node
from memkube.control.refusals import not_possible, not_running
from memkube.control.server_parts import ServerParts
from memkube.controllers.nodes.amounts import Amount
from memkube.controllers.nodes.resources import WatchedResource
from memkube.controllers.nodes.simulated_node import SimulatedNode
from memkube.controllers.nodes.simulated_nodes import SimulatedNodes
from memkube.registry.registry import Registry
from memkube.time.clock import SteppedClock


class NodeState(BaseModel):
    """A simulated node."""

    name: str
    pool: str = Field(description="Name of the pool of the node; empty for a node outside of pools.")
    zone: str
    failed: bool = Field(description="True if the kubelet of the node is stopped.")
    partitioned: bool = Field(description="True if the node and the API server do not reach each other.")


class AvailableResources(StrictModel):
    """Amounts of a node's resources that are available now, because processes outside of its pods use the rest."""

    memory: Amount | None = Field(
        default=None, description="Memory, of the capacity of the node. There is pressure below 100Mi."
    )
    nodefs: Amount | None = Field(
        default=None, description="Disk space for logs and volumes. There is pressure below 10 %."
    )
    imagefs: Amount | None = Field(
        default=None, description="Disk space for images and containers. There is pressure below 15 %."
    )
    pids: Amount | None = Field(default=None, description="Process IDs, of 32768. There is pressure below 10 %.")

    def amounts(self) -> dict[WatchedResource, int]:
        """Return the given amounts: bytes of memory and disk space, and numbers of processes."""
        found: dict[WatchedResource, Quantity | None] = {
            "memory": self.memory,
            "nodefs": self.nodefs,
            "imagefs": self.imagefs,
            "pids": self.pids,
        }
        return {watched: amount.value for watched, amount in found.items() if amount is not None}


class NodeList(BaseModel):
    """All simulated nodes."""

    items: list[NodeState]


def nodes_router(parts: ServerParts) -> APIRouter:
    """Return the routes that show the simulated nodes and make them fail and recover, and drain nodes."""
    router = APIRouter(prefix="/nodes", tags=["nodes"])

    @router.get("")
    async def show() -> NodeList:
        """Lists the simulated nodes."""
        return NodeList(items=[node_state(machine) for machine in simulated_nodes(parts)])

    @router.post("/{name}/fail")
    async def fail(name: str) -> NodeState:
        """Stops the kubelet of a node: it sends no heartbeats, and the status of its pods does not change."""
        nodes = simulated_nodes(parts)
        return await act_on_node(parts.registry, nodes, name, nodes.fail)

    @router.post("/{name}/recover")
    async def recover(name: str) -> NodeState:
        """Starts the kubelet of a node again."""
        nodes = simulated_nodes(parts)
        return await act_on_node(parts.registry, nodes, name, nodes.recover)

    @router.put("/{name}/available")
    async def put_available(name: str, available: AvailableResources) -> NodeState:
        """Sets the resources that a node has available now. Resources without an amount are not used outside of pods.

        Below the eviction thresholds of the kubelet the node reports pressure and evicts pods.
        """
        return await set_available(parts, name, available)

    @router.post("/{name}/drain")
    async def drain(name: str, options: DrainOptions | None = None) -> DrainedNode:
        """Cordons a node and evicts its pods, except those of DaemonSets, as far as their budgets allow it now.

        Repeat the request until the node is drained.
        """
        return await drain_node(parts.registry, name, options or DrainOptions())

    return router


async def set_available(parts: ServerParts, name: str, available: AvailableResources) -> NodeState:
    """Set the resources that a node has available. Raises ApiError as `act_on_node` does."""
    nodes, kubelet = simulated_nodes(parts), parts.controllers.kubelet
    assert kubelet is not None

    def act(node: str) -> None:
        machine = nodes.get(node)
        assert machine is not None
        kubelet.evictions.set_available(machine, available.amounts())

    return await act_on_node(parts.registry, nodes, name, act)


def simulated_nodes(parts: ServerParts) -> SimulatedNodes:
    """Return the simulated nodes. Raises ApiError 501 if the controller ``kubelet`` is disabled."""
    kubelet = parts.controllers.kubelet
    if kubelet is None:
        raise not_running("no nodes are simulated", "kubelet")
    return kubelet.nodes


async def act_on_node(registry: Registry, nodes: SimulatedNodes, name: str, act: Callable[[str], None]) -> NodeState:
    """Call `act` for a node, and store if it failed. Raises ApiError 404 if it is unknown, 409 if not simulated."""
    machine = nodes.get(name)
    if machine is None:
        node = await registry.find("", "v1", "nodes").get("", name)
        raise not_possible(f'nodes "{node.name}" is not simulated: no kubelet runs on it')
    act(name)
    await nodes.share(name)
    if isinstance(registry.clock, SteppedClock):
        await registry.clock.activity.at_rest()
    return node_state(machine)


def node_state(machine: SimulatedNode) -> NodeState:
    """Return a simulated node as the control API shows it."""
    return NodeState(
        name=machine.name,
        pool=machine.shape.pool,
        zone=machine.zone,
        failed=machine.failed,
        partitioned=machine.partitioned,
    )
