"""``/rules``: what simulated containers do."""

from typing import Annotated, Final

from fastapi import APIRouter, Path, Response
from pydantic import BaseModel

from memkube.apimachinery.errors import ApiError, GroupResource, not_found
from memkube.control.refusals import not_running
from memkube.control.server_parts import ServerParts
from memkube.controllers.framework.saved_values import BEHAVIORS
from memkube.controllers.kubelet.behavior import ContainerRule, ContainerRules
from memkube.registry.registry import Registry

_RULES: Final = GroupResource("", "rules")
RuleName = Annotated[str, Path(max_length=253, pattern=r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$")]


class NamedRule(BaseModel):
    """A rule and its name."""

    name: str
    rule: ContainerRule


class RuleList(BaseModel):
    """All rules, in the order in which they are asked."""

    items: list[NamedRule]


def rules_router(parts: ServerParts) -> APIRouter:
    """Shows, adds and removes rules."""
    router = APIRouter(prefix="/rules", tags=["rules"])

    @router.get("", response_model_exclude_unset=True)
    async def show_all() -> RuleList:
        """Lists the rules by name; the first that selects a container counts."""
        return RuleList(items=[NamedRule(name=name, rule=rule) for name, rule in container_rules(parts).items()])

    @router.get("/{name}", response_model_exclude_unset=True)
    async def show(name: RuleName) -> ContainerRule:
        """Shows a rule."""
        try:
            return container_rules(parts).get(name)
        except KeyError:
            raise unknown_rule(name) from None

    @router.put("/{name}", response_model_exclude_unset=True)
    async def put(name: RuleName, rule: ContainerRule) -> ContainerRule:
        """Adds or replaces a rule; it is about containers that start from now on."""
        container_rules(parts)
        await put_rule(parts.registry, name, rule)
        return rule

    @router.delete("/{name}", status_code=204)
    async def delete(name: RuleName) -> Response:
        """Removes a rule."""
        await delete_rule(parts, name)
        return Response(status_code=204)

    return router


def container_rules(parts: ServerParts) -> ContainerRules:
    """Raises ApiError 501 where nothing simulates containers."""
    kubelet = parts.controllers.kubelet
    if kubelet is None:
        raise not_running("no containers are simulated", "kubelet")
    return kubelet.rules


async def put_rule(registry: Registry, name: str, rule: ContainerRule) -> None:
    """Adds or replaces a rule, which outlives the server where objects do."""
    await registry.shared_state.put(BEHAVIORS, name, rule.saved())


async def delete_rule(parts: ServerParts, name: str) -> None:
    """Raises ApiError 404, and 501 where nothing simulates containers."""
    try:
        container_rules(parts).get(name)
    except KeyError:
        raise unknown_rule(name) from None
    await parts.registry.shared_state.delete(BEHAVIORS, name)


def unknown_rule(name: str) -> ApiError:
    """404: there is no such rule."""
    return not_found(_RULES, name)
