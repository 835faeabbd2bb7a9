"""``/nodes``: the simulated nodes, which can be made to fail."""

from collections.abc import Callable

from fastapi import APIRouter
from pydantic import BaseModel, Field

from memkube.control.refusals import not_possible, not_running
from memkube.control.server_parts import ServerParts
from memkube.controllers.framework.saved_values import FAILED_NODES
from memkube.controllers.nodes.description import SimulatedNode
from memkube.controllers.nodes.simulated_nodes import SimulatedNodes
from memkube.registry.registry import Registry
from memkube.time.clock import SteppedClock


class NodeState(BaseModel):
    """A simulated node."""

    name: str
    zone: str
    failed: bool = Field(description="True if the kubelet of the node is stopped.")


class NodeList(BaseModel):
    """All simulated nodes."""

    items: list[NodeState]


def nodes_router(parts: ServerParts) -> APIRouter:
    """Return the routes that show the simulated nodes and make them fail and recover."""
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

    return router


def simulated_nodes(parts: ServerParts) -> SimulatedNodes:
    """Return the simulated nodes. Raises ApiError 501 if the controller ``kubelet`` is disabled."""
    kubelet = parts.controllers.kubelet
    if kubelet is None:
        raise not_running("no nodes are simulated", "kubelet")
    return kubelet.nodes


async def act_on_node(registry: Registry, nodes: SimulatedNodes, name: str, act: Callable[[str], None]) -> NodeState:
    """Make a node fail or recover. Raises ApiError 404 for an unknown node, 409 for one that is not simulated."""
    machine = nodes.get(name)
    if machine is None:
        node = await registry.find("", "v1", "nodes").get("", name)
        raise not_possible(f'nodes "{node.name}" is not simulated: no kubelet runs on it')
    act(name)
    if machine.failed:
        await registry.shared_state.put(FAILED_NODES, name, {})
    else:
        await registry.shared_state.delete(FAILED_NODES, name)
    if isinstance(registry.clock, SteppedClock):
        await registry.clock.activity.at_rest()
    return node_state(machine)


def node_state(machine: SimulatedNode) -> NodeState:
    """Return the state of a node."""
    return NodeState(name=machine.name, zone=machine.zone, failed=machine.failed)
