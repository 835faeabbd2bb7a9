"""``/rules``: the rules for the behaviour of simulated containers."""

from typing import Annotated, Final

from fastapi import APIRouter, Path, Response
from pydantic import BaseModel

from memkube.apimachinery.errors import ApiError, GroupResource, not_found
from memkube.control.refusals import not_running
from memkube.control.server_parts import ServerParts
from memkube.controllers.framework.saved_values import BEHAVIORS
from memkube.controllers.kubelet.containers.behavior import ContainerRule
from memkube.controllers.kubelet.containers.rules import ContainerRules
from memkube.faults.names import NAME_PATTERN
from memkube.registry.registry import Registry

_RULES: Final = GroupResource("", "rules")
RuleName = Annotated[str, Path(max_length=253, pattern=NAME_PATTERN)]


class NamedRule(BaseModel):
    """A rule that determines what the containers that it selects do, and the name of the rule."""

    name: str
    rule: ContainerRule


class RuleList(BaseModel):
    """All rules for simulated containers, in the order in which they are evaluated."""

    items: list[NamedRule]


def rules_router(parts: ServerParts) -> APIRouter:
    """Return the routes that show, add and remove rules for the server's simulated containers."""
    router = APIRouter(prefix="/rules", tags=["rules"])

    @router.get("", response_model_exclude_unset=True)
    async def show_all() -> RuleList:
        """Lists the rules that define what containers do. The first rule that selects a container applies to it."""
        return RuleList(items=[NamedRule(name=name, rule=rule) for name, rule in container_rules(parts).items()])

    @router.get("/{name}", response_model_exclude_unset=True)
    async def show(name: RuleName) -> ContainerRule:
        """Shows a rule for simulated containers."""
        try:
            return container_rules(parts).get(name)
        except KeyError:
            raise unknown_rule(name) from None

    @router.put("/{name}", response_model_exclude_unset=True)
    async def put(name: RuleName, rule: ContainerRule) -> ContainerRule:
        """Adds or replaces a rule for simulated containers.

        The rule applies to containers that start later, and at once to running containers whose command is not
        simulated. Resource use changes at once.
        """
        container_rules(parts)
        await put_rule(parts.registry, name, rule)
        return rule

    @router.delete("/{name}", status_code=204)
    async def delete(name: RuleName) -> Response:
        """Removes a rule for simulated containers."""
        await delete_rule(parts, name)
        return Response(status_code=204)

    return router


def container_rules(parts: ServerParts) -> ContainerRules:
    """Return the rules for the server's simulated containers. Raises ApiError 501 if it runs no kubelets."""
    kubelet = parts.controllers.kubelet
    if kubelet is None:
        raise not_running("no containers are simulated, so there are no rules for them", "kubelet")
    return kubelet.rules


async def put_rule(registry: Registry, name: str, rule: ContainerRule) -> None:
    """Add or replace a rule for simulated containers.

    The rule is written to the server's storage, so it outlives the server if the storage is persistent.
    """
    await registry.shared_state.put(BEHAVIORS, name, rule.saved())


async def delete_rule(parts: ServerParts, name: str) -> None:
    """Remove a rule for simulated containers.

    Raises ApiError 404 if there is no such rule, and 501 if the controller ``kubelet`` is disabled.
    """
    try:
        container_rules(parts).get(name)
    except KeyError:
        raise unknown_rule(name) from None
    await parts.registry.shared_state.delete(BEHAVIORS, name)


def unknown_rule(name: str) -> ApiError:
    """Return the ApiError 404 for a rule for simulated containers that does not exist."""
    return not_found(_RULES, name)
