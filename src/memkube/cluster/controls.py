"""The operations of the control API, for programs in the same process."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

from memkube.apimachinery.errors import ApiError, Cause, Details
from memkube.control.draining import DrainedNode, DrainOptions, drain_node
from memkube.control.metrics import delete_metric, put_metric
from memkube.control.nodes import (
    AvailableResources,
    NewNodes,
    NodeState,
    PoolState,
    act_on_node,
    add_nodes,
    node_pools,
    node_state,
    remove_node,
    set_available,
    simulated_nodes,
)
from memkube.control.object_conditions import Holds
from memkube.control.refusals import not_possible
from memkube.control.rules import RuleName, container_rules, delete_rule, put_rule
from memkube.control.scheduling import PodScheduling, explain_scheduling
from memkube.control.server_parts import ServerParts
from memkube.control.services import ServiceListener, unknown_service
from memkube.control.settling import Settling
from memkube.control.stepping import ObjectState, Quiet, SettleOptions, Stepped, StopCondition, step
from memkube.controllers.kubelet.containers.behavior import ContainerRule
from memkube.controllers.nodes.simulated_nodes import SimulatedNodes
from memkube.controllers.pod_autoscaler.metric_values import MetricValue, metric_values
from memkube.hooks.services import Listener, ServicePort
from memkube.registry.named_stores import named_store
from memkube.registry.replicas.shared_listeners import delete_listener, put_listener
from memkube.time.clock import SteppedClock


class Controls:
    """The operations of the control API: they advance the clock, change nodes, and set rules, metrics and listeners.

    The coroutines run in the server's thread. They raise ApiError if an operation is refused.
    """

    def __init__(self, parts: ServerParts) -> None:
        self._parts = parts
        self._registry = parts.registry

    async def advance(self, seconds: float, until: StopCondition | None = None, clients: Sequence[str] = ()) -> Stepped:
        """Advance the clock by `seconds`; stop earlier if the condition `until` is met.

        Only a stepped clock can be advanced; it does not move by itself. Returns the new time of the clock, and whether
        `until` was met.

        The clock moves from one timer to the next. Before each move, wait until the external clients named in `clients`
        have settled (see :meth:`settle`). Raises ApiError 409 if the clock is not stepped, and 504 if the clients do
        not settle in time.
        """
        clock = self._registry.clock
        if not isinstance(clock, SteppedClock):
            raise not_possible("the clock is not stepped, so it cannot be advanced: use Memkube(clock='stepped')")
        return await step(self._parts, clock, seconds, until, SettleOptions(tuple(clients)))

    async def settle(self, clients: Sequence[str], silent: float, seconds: float) -> None:
        """Wait until the external clients named in `clients` have settled; all external clients if it is empty.

        A client has settled if its requests are answered, all events of its watches are sent, and it has sent and
        received nothing for `silent` seconds. Raises ApiError 504 after `seconds` of real time.
        """
        await Settling(self._parts, clients, silent).settle(seconds)

    def object_condition(self, resource: str, name: str, namespace: str = "default", *, holds: Holds) -> StopCondition:
        """Return a stop condition for `advance` that is met when `holds` returns True for the object."""
        return ObjectState(named_store(self._registry, resource), namespace, name, holds)

    def quiet_condition(self, seconds: float) -> StopCondition:
        """Return a stop condition for `advance` that is met after `seconds` of the server's clock without writes.

        Writes of Leases and Events, and updates of Nodes, do not count.
        """
        return Quiet(self._registry, seconds)

    async def nodes(self) -> list[NodeState]:
        """Return the simulated nodes and whether their kubelets run."""
        return [node_state(machine) for machine in simulated_nodes(self._parts)]

    async def fail_node(self, name: str) -> NodeState:
        """Stop the kubelet of a node."""
        return await act_on_node(self._parts, name, SimulatedNodes.fail)

    async def recover_node(self, name: str) -> NodeState:
        """Start the kubelet of a node again."""
        return await act_on_node(self._parts, name, SimulatedNodes.recover)

    async def partition_node(self, name: str) -> NodeState:
        """Cut a node off from the API server."""
        return await act_on_node(self._parts, name, SimulatedNodes.partition)

    async def heal_node(self, name: str) -> NodeState:
        """Reconnect a node that was cut off."""
        return await act_on_node(self._parts, name, SimulatedNodes.heal)

    async def reboot_node(self, name: str) -> NodeState:
        """Reboot the machine of a node."""
        return await act_on_node(self._parts, name, SimulatedNodes.reboot)

    async def add_nodes(self, pool: str, count: int, zone: str) -> list[NodeState]:
        """Add nodes to a pool, or nodes that belong to no pool if `pool` is empty."""
        return await add_nodes(self._parts, _checked(NewNodes, {"pool": pool, "count": count, "zone": zone}))

    async def remove_node(self, name: str) -> NodeState:
        """Remove a node at once. The containers on it end."""
        return await remove_node(self._parts, name)

    async def node_pools(self) -> list[PoolState]:
        """Return the pools of nodes with the nodes that they have now."""
        return node_pools(self._parts)

    async def set_available(self, name: str, available: Mapping[str, Any]) -> NodeState:
        """Set the amounts of memory, disk space and process ids that are available on a node now."""
        return await set_available(self._parts, name, _checked(AvailableResources, available))

    async def drain_node(self, name: str, options: DrainOptions) -> DrainedNode:
        """Cordon a node, and evict those of its pods whose PodDisruptionBudgets allow it now.

        `options` select which pods are evicted, as for ``kubectl drain``. Returns the evicted and the remaining pods.
        Repeat the call until the result says that the node is drained.
        """
        return await drain_node(self._registry, name, options)

    async def explain_scheduling(self, name: str, namespace: str) -> PodScheduling:
        """Explain which node the scheduler would choose for a pod now."""
        return await explain_scheduling(self._parts, namespace, name)

    async def behaviors(self) -> dict[str, ContainerRule]:
        """Return the rules for simulated containers by name, in the order in which they are evaluated."""
        return dict(container_rules(self._parts).items())

    async def put_behavior(self, name: str, rule: ContainerRule | Mapping[str, Any]) -> None:
        """Add or replace a rule for simulated containers."""
        container_rules(self._parts)
        _checked(RuleName, name)
        checked = rule if isinstance(rule, ContainerRule) else _checked(ContainerRule, dict(rule))
        await put_rule(self._registry, name, checked)

    async def delete_behavior(self, name: str) -> None:
        """Remove the container rule with this name."""
        await delete_rule(self._parts, name)

    async def metrics(self) -> dict[str, MetricValue]:
        """Return the values of custom and external metrics by the names under which they were set."""
        return metric_values(self._registry.shared_state)

    async def put_metric(self, name: str, metric: MetricValue | Mapping[str, Any]) -> None:
        """Set a value of a custom or external metric, under the name `name`, by which it can be replaced or removed."""
        _checked(RuleName, name)
        checked = metric if isinstance(metric, MetricValue) else _checked(MetricValue, dict(metric))
        await put_metric(self._registry.shared_state, name, checked)

    async def delete_metric(self, name: str) -> None:
        """Remove the metric value that was set under the name `name`. Raises ApiError 404 if there is none."""
        await delete_metric(self._registry.shared_state, name)

    async def listeners(self) -> dict[ServicePort, Listener]:
        """Return the addresses of the servers outside of the cluster that replace Services, by Service port."""
        return dict(self._parts.listeners.items())

    async def put_listener(self, service: ServicePort, listener: Listener) -> None:
        """Let the API server call the server at `listener`, outside of the cluster, instead of the Service.

        The API server calls Services to which webhook configurations and APIServices refer. The Service need not exist.
        Raises ApiError 422 for an invalid address.
        """
        checked = _checked(ServiceListener, {"host": listener.host, "port": listener.port})
        await put_listener(self._registry.shared_state, service, Listener(checked.host, checked.port))

    async def delete_listener(self, service: ServicePort) -> None:
        """Let the API server call the pods of the Service port again, not the server that :meth:`put_listener` set.

        Raises ApiError 404 if no server was set.
        """
        try:
            await delete_listener(self._registry.shared_state, service)
        except KeyError:
            raise unknown_service(*service) from None


def _checked(type_: Any, value: object) -> Any:
    """Validate a value with Pydantic and return it. Raises ApiError 422 if it is not valid."""
    try:
        return TypeAdapter(type_).validate_python(value)
    except ValidationError as error:
        causes = tuple(Cause("FieldValueInvalid", e["msg"], ".".join(map(str, e["loc"]))) for e in error.errors())
        said = ", ".join(f"{cause.field}: {cause.message}" if cause.field else cause.message for cause in causes)
        raise ApiError(422, "Invalid", said, Details(causes=causes)) from None
