"""What the control API does, for programs in this process, with its refusals."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

from memkube.apimachinery.errors import ApiError, Cause, Details
from memkube.control.nodes import NodeState, act_on_node, node_state, simulated_nodes
from memkube.control.object_conditions import Holds
from memkube.control.refusals import not_possible
from memkube.control.rules import RuleName, container_rules, delete_rule, put_rule
from memkube.control.server_parts import ServerParts
from memkube.control.services import ServiceListener, unknown_service
from memkube.control.settling import Settling
from memkube.control.stepping import Goal, ObjectState, Patience, Quiet, Stepped, step
from memkube.controllers.kubelet.behavior import ContainerRule
from memkube.hooks.services import Listener, ServicePort
from memkube.registry.named_stores import named_store
from memkube.registry.replicas.shared_listeners import delete_listener, put_listener
from memkube.time.clock import SteppedClock


class Controls:
    """Moves the clock, makes nodes fail, says what containers do and who listens behind services.

    Its coroutines belong to the server's thread, and raise ApiError.
    """

    def __init__(self, parts: ServerParts) -> None:
        self._parts = parts
        self._registry = parts.registry

    async def advance(self, seconds: float, goal: Goal | None = None, clients: Sequence[str] = ()) -> Stepped:
        """Moves a stepped clock on, at most until a goal is reached. 409 for a clock that runs by itself."""
        clock = self._registry.clock
        if not isinstance(clock, SteppedClock):
            raise not_possible("the clock runs by itself: Memkube(clock='stepped') has one that can be moved")
        return await step(self._parts, clock, seconds, goal, Patience(tuple(clients)))

    async def settle(self, clients: Sequence[str], silent: float, seconds: float) -> None:
        """Waits for clients outside."""
        await Settling(self._parts, clients, silent).settle(seconds)

    def object_goal(self, resource: str, name: str, namespace: str = "default", *, holds: Holds) -> Goal:
        """That a condition holds on an object, by any name of its resource."""
        return ObjectState(named_store(self._registry, resource), namespace, name, holds)

    def quiet_goal(self, seconds: float) -> Goal:
        """That nothing has been written for so long."""
        return Quiet(self._registry, seconds)

    async def nodes(self) -> list[NodeState]:
        """The simulated nodes."""
        return [node_state(machine) for machine in simulated_nodes(self._parts)]

    async def fail_node(self, name: str) -> NodeState:
        """Stops a node's kubelet."""
        nodes = simulated_nodes(self._parts)
        return await act_on_node(self._registry, nodes, name, nodes.fail)

    async def recover_node(self, name: str) -> NodeState:
        """Starts a node's kubelet again."""
        nodes = simulated_nodes(self._parts)
        return await act_on_node(self._registry, nodes, name, nodes.recover)

    async def behaviors(self) -> dict[str, ContainerRule]:
        """The rules by name, in the order in which they are asked."""
        return dict(container_rules(self._parts).items())

    async def put_behavior(self, name: str, rule: ContainerRule | Mapping[str, Any]) -> None:
        """Adds or replaces a rule."""
        container_rules(self._parts)
        _checked(RuleName, name)
        checked = rule if isinstance(rule, ContainerRule) else _checked(ContainerRule, dict(rule))
        await put_rule(self._registry, name, checked)

    async def delete_behavior(self, name: str) -> None:
        """Removes a rule."""
        await delete_rule(self._parts, name)

    async def listeners(self) -> dict[ServicePort, Listener]:
        """The ports that somebody listens behind."""
        return dict(self._parts.listeners.items())

    async def put_listener(self, service: ServicePort, listener: Listener) -> None:
        """Has the server call this listener instead of the service's port."""
        checked = _checked(ServiceListener, {"host": listener.host, "port": listener.port})
        await put_listener(self._registry.shared_state, service, Listener(checked.host, checked.port))

    async def delete_listener(self, service: ServicePort) -> None:
        """Leaves the port to the service again."""
        try:
            await delete_listener(self._registry.shared_state, service)
        except KeyError:
            raise unknown_service(*service) from None


def _checked(type_: Any, value: object) -> Any:
    """Raises ApiError 422."""
    try:
        return TypeAdapter(type_).validate_python(value)
    except ValidationError as error:
        causes = tuple(Cause("FieldValueInvalid", e["msg"], ".".join(map(str, e["loc"]))) for e in error.errors())
        said = ", ".join(f"{cause.field}: {cause.message}" if cause.field else cause.message for cause in causes)
        raise ApiError(422, "Invalid", said, Details(causes=causes)) from None
