"""``/nodes`` and ``/node-pools``: adding, removing, failing and cutting off simulated nodes, and draining nodes."""

from collections.abc import Callable

from fastapi import APIRouter
from pydantic import BaseModel, Field, field_validator

from memkube.apimachinery.errors import ApiError, Details
from memkube.apimachinery.names import is_label_value
from memkube.apimachinery.quantity import Quantity
from memkube.apimachinery.strict_model import StrictModel
from memkube.control.draining import DrainedNode, DrainOptions, drain_node
from memkube.control.refusals import not_possible, not_running
from memkube.control.server_parts import ServerParts
from memkube.controllers.nodes.amounts import Amount
from memkube.controllers.nodes.pools import NodePool
from memkube.controllers.nodes.resources import WatchedResource
from memkube.controllers.nodes.simulated_node import SimulatedNode
from memkube.controllers.nodes.simulated_nodes import SimulatedNodes
from memkube.errors import unknown_name
from memkube.registry.registry import Registry
from memkube.time.clock import SteppedClock


class NodeState(BaseModel):
    """A simulated node, as the control API shows it."""

    name: str
    pool: str = Field(description="Name of the pool of the node; empty for a node outside of pools.")
    zone: str
    failed: bool = Field(description="True if the kubelet of the node is stopped.")
    partitioned: bool = Field(description="True if the network between the node and the API server is cut.")


class AvailableResources(StrictModel):
    """Amounts of a node's resources that are available now.

    The remaining capacity counts as used by processes outside of the node's pods.
    """

    memory: Amount | None = Field(
        default=None, description="Available memory. Below 100Mi, the node reports memory pressure."
    )
    nodefs: Amount | None = Field(
        default=None,
        description="Available disk space for logs and volumes. Below 10 %, the node reports disk pressure.",
    )
    imagefs: Amount | None = Field(
        default=None,
        description="Available disk space for images and containers. Below 15 %, the node reports disk pressure.",
    )
    pids: Amount | None = Field(
        default=None,
        description="Number of available process IDs, of 32768. Below 10 %, the node reports PID pressure.",
    )

    def amounts(self) -> dict[WatchedResource, int]:
        """Return the amounts in the request by resource: bytes of memory and disk space, number of process IDs."""
        found: dict[WatchedResource, Quantity | None] = {
            "memory": self.memory,
            "nodefs": self.nodefs,
            "imagefs": self.imagefs,
            "pids": self.pids,
        }
        return {watched: amount.value for watched, amount in found.items() if amount is not None}


class NodeList(BaseModel):
    """The simulated nodes of the server, or those that a request has added."""

    items: list[NodeState]


class NewNodes(StrictModel):
    """Request to add simulated nodes."""

    pool: str = Field(default="", description="Name of the pool to add to; empty for nodes outside of pools.")
    count: int = Field(default=1, ge=1, description="Number of nodes to add.")
    zone: str = Field(default="", description="Zone of the nodes; by default, they are spread over the zones.")

    @field_validator("zone")
    @classmethod
    def _is_a_label_value(cls, zone: str) -> str:
        if problems := is_label_value(zone):
            raise ValueError(problems[0])
        return zone


class PoolState(BaseModel):
    """A pool of simulated nodes, as the control API shows it."""

    pool: NodePool = Field(description="Definition of the pool, as given when the server started.")
    nodes: list[str] = Field(description="Names of the nodes that the pool has now.")


class PoolList(BaseModel):
    """The pools of simulated nodes, each with the names of its nodes."""

    items: list[PoolState]


def nodes_router(parts: ServerParts) -> APIRouter:
    """Return the routes that show, add and remove simulated nodes, make them fail and recover, and drain nodes."""
    router = APIRouter(prefix="/nodes", tags=["nodes"])

    @router.get("")
    async def show() -> NodeList:
        """Lists the simulated nodes."""
        return NodeList(items=[node_state(machine) for machine in simulated_nodes(parts)])

    @router.post("")
    async def add(new: NewNodes) -> NodeList:
        """Adds nodes to a pool, or outside of pools. Their names are new: a removed node's name is not used again."""
        return NodeList(items=await add_nodes(parts, new))

    @router.delete("/{name}")
    async def remove(name: str) -> NodeState:
        """Removes a node at once, as if its machine were deleted in a cloud: its containers end, its Node is deleted.

        Pods that were bound to it are deleted by the pod garbage collector after 40 seconds. To end these pods
        gracefully, drain the node first.
        """
        return await remove_node(parts, name)

    @router.post("/{name}/partition")
    async def partition(name: str) -> NodeState:
        """Cuts a node off from the API server and other nodes: its pods run on, but its kubelet writes nothing."""
        return await act_on_node(parts, name, SimulatedNodes.partition)

    @router.post("/{name}/heal")
    async def heal(name: str) -> NodeState:
        """Reconnects a node that was cut off. Its kubelet reports what has happened meanwhile."""
        return await act_on_node(parts, name, SimulatedNodes.heal)

    @router.post("/{name}/reboot")
    async def reboot(name: str) -> NodeState:
        """Reboots a node: its containers end with exit code 255, and restart if their restart policies allow.

        The kubelet of a failed node runs after the reboot.
        """
        return await act_on_node(parts, name, SimulatedNodes.reboot)

    @router.post("/{name}/fail")
    async def fail(name: str) -> NodeState:
        """Stops the kubelet of a node: it sends no heartbeats, and the status of its pods does not change."""
        return await act_on_node(parts, name, SimulatedNodes.fail)

    @router.post("/{name}/recover")
    async def recover(name: str) -> NodeState:
        """Starts the kubelet of a node again."""
        return await act_on_node(parts, name, SimulatedNodes.recover)

    @router.put("/{name}/available")
    async def put_available(name: str, available: AvailableResources) -> NodeState:
        """Sets the amounts of resources that a node has available now.

        The remaining capacity counts as used by processes outside of pods. If no amount is given for a resource, only
        pods use it. If an amount is below the kubelet's eviction threshold, the node reports pressure and evicts pods.
        """
        return await set_available(parts, name, available)

    @router.post("/{name}/drain")
    async def drain(name: str, options: DrainOptions | None = None) -> DrainedNode:
        """Cordons a node and evicts its pods, except those of DaemonSets, as far as disruption budgets allow.

        Repeat the request until the node is drained.
        """
        return await drain_node(parts.registry, name, options or DrainOptions())

    return router


def pools_router(parts: ServerParts) -> APIRouter:
    """Return the route that shows the pools of simulated nodes."""
    router = APIRouter(prefix="/node-pools", tags=["nodes"])

    @router.get("")
    async def show() -> PoolList:
        """Lists the pools of simulated nodes with their nodes."""
        return PoolList(items=node_pools(parts))

    return router


def node_pools(parts: ServerParts) -> list[PoolState]:
    """Return the pools of nodes, each with its current nodes. Raises ApiError 501 if no nodes are simulated."""
    nodes = simulated_nodes(parts)
    return [
        PoolState(pool=pool, nodes=[machine.name for machine in nodes.of_pool(name)])
        for name, pool in nodes.pools.items()
    ]


async def add_nodes(parts: ServerParts, new: NewNodes) -> list[NodeState]:
    """Add simulated nodes and return their states.

    Raises ApiError 404 for an unknown pool, 409 if there would be too many nodes, and 501 if no nodes are simulated.
    """
    nodes = simulated_nodes(parts)
    if new.pool and new.pool not in nodes.pools:
        raise ApiError(404, "NotFound", unknown_name("node pool", new.pool, nodes.pools), Details())
    try:
        machines = await nodes.add(new.pool, new.count, new.zone)
    except ValueError as error:
        raise not_possible(str(error)) from None
    await _at_rest(parts.registry)
    return [node_state(machine) for machine in machines]


async def remove_node(parts: ServerParts, name: str) -> NodeState:
    """Remove a node and return its last state.

    Raises ApiError 404 if the node is unknown, 409 if it is not simulated, and 501 if no nodes are simulated.
    """
    nodes = simulated_nodes(parts)
    await _check_simulated(parts.registry, nodes, name)
    machine = await nodes.remove(name)
    await _at_rest(parts.registry)
    return node_state(machine)


async def set_available(parts: ServerParts, name: str, available: AvailableResources) -> NodeState:
    """Set the amounts of memory, disk space and process IDs that a node has available.

    Raises ApiError 404 if the node is unknown, 409 if it is not simulated, and 501 if no nodes are simulated.
    """

    def act(nodes: SimulatedNodes, node: str) -> None:
        machine, kubelet = nodes.get(node), parts.controllers.kubelet
        assert machine is not None
        assert kubelet is not None
        kubelet.evictions.set_available(machine, available.amounts())

    return await act_on_node(parts, name, act)


def simulated_nodes(parts: ServerParts) -> SimulatedNodes:
    """Return the simulated nodes. Raises ApiError 501 if the controller ``kubelet`` is disabled."""
    kubelet = parts.controllers.kubelet
    if kubelet is None:
        raise not_running("no nodes are simulated", "kubelet")
    return kubelet.nodes


async def act_on_node(parts: ServerParts, name: str, act: Callable[[SimulatedNodes, str], None]) -> NodeState:
    """Call `act` with the simulated nodes and a node's name, store the node's state, and return it.

    Raises ApiError 404 if the node is unknown, 409 if it is not simulated, and 501 if no nodes are simulated.
    """
    nodes = simulated_nodes(parts)
    machine = await _check_simulated(parts.registry, nodes, name)
    act(nodes, name)
    await nodes.share(name)
    await _at_rest(parts.registry)
    return node_state(machine)


async def _check_simulated(registry: Registry, nodes: SimulatedNodes, name: str) -> SimulatedNode:
    """Return the simulated machine behind a Node. Raises ApiError 404 for an unknown Node, 409 if it has no machine."""
    machine = nodes.get(name)
    if machine is None:
        node = await registry.find("", "v1", "nodes").get("", name)
        raise not_possible(f'nodes "{node.name}" is not simulated: no kubelet runs on it')
    return machine


async def _at_rest(registry: Registry) -> None:
    if isinstance(registry.clock, SteppedClock):
        await registry.clock.activity.at_rest()


def node_state(machine: SimulatedNode) -> NodeState:
    """Return a simulated node as the control API shows it."""
    return NodeState(
        name=machine.name,
        pool=machine.shape.pool,
        zone=machine.zone,
        failed=machine.failed,
        partitioned=machine.partitioned,
    )
