"""``/rules``: what simulated containers do."""

from typing import Annotated, Final

from fastapi import APIRouter, Path, Response
from pydantic import BaseModel

from memkube.apimachinery.errors import ApiError, GroupResource, not_found
from memkube.controllers.kubelet.behavior import ContainerRule, ContainerRules
from memkube.registry.registry import Registry
from memkube.sandbox.refusals import not_running

_RULES: Final = GroupResource("", "rules")
_Name = Annotated[str, Path(max_length=253, pattern=r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$")]


class NamedRule(BaseModel):
    """A rule and its name."""

    name: str
    rule: ContainerRule


class RuleList(BaseModel):
    """All rules, in the order in which they are asked."""

    items: list[NamedRule]


def rules_router(registry: Registry) -> APIRouter:
    """Shows, adds and removes rules."""
    router = APIRouter(prefix="/rules", tags=["rules"])

    @router.get("", response_model_exclude_unset=True)
    async def show_all() -> RuleList:
        """Lists the rules by name; the first that selects a container counts."""
        return RuleList(items=[NamedRule(name=name, rule=rule) for name, rule in _rules(registry).items()])

    @router.get("/{name}", response_model_exclude_unset=True)
    async def show(name: _Name) -> ContainerRule:
        """Shows a rule."""
        try:
            return _rules(registry).get(name)
        except KeyError:
            raise _unknown(name) from None

    @router.put("/{name}", response_model_exclude_unset=True)
    async def put(name: _Name, rule: ContainerRule) -> ContainerRule:
        """Adds or replaces a rule; it is about containers that start from now on."""
        _rules(registry).put(name, rule)
        return rule

    @router.delete("/{name}", status_code=204)
    async def delete(name: _Name) -> Response:
        """Removes a rule."""
        try:
            _rules(registry).delete(name)
        except KeyError:
            raise _unknown(name) from None
        return Response(status_code=204)

    return router


def _rules(registry: Registry) -> ContainerRules:
    """Raises ApiError 501 where nothing simulates containers."""
    rules = registry.provided(ContainerRules)
    if rules is None:
        raise not_running("no containers are simulated", "kubelet")
    return rules


def _unknown(name: str) -> ApiError:
    return not_found(_RULES, name)
