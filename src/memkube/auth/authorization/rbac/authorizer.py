"""The authorizer RBAC, which decides by roles and bindings (``plugin/pkg/auth/authorizer/rbac``)."""

from typing import Final, TypeAlias

from memkube.auth.authorization.interface import Attributes, Decision, LocalAuthorizer, UserRules, Verdict
from memkube.auth.authorization.rbac.matching import allows
from memkube.auth.authorization.rbac.policy import Policy
from memkube.auth.authorization.union import aggregate
from memkube.registry.declarations.request_options import User

_MOST_DECISIONS: Final = 4096
_Question: TypeAlias = tuple[str, tuple[str, ...], tuple[object, ...]]


class RbacAuthorizer(LocalAuthorizer):
    """Allows what the rules of a user's bound roles allow. Decisions are cached until a role or binding changes."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._decisions: dict[_Question, Decision] = {}

    async def catch_up(self) -> None:
        if await self._policy.catch_up():
            self._decisions.clear()

    def authorize(self, attributes: Attributes) -> Decision:
        user = attributes.user
        question = user.name, user.groups, attributes[1:10]
        decision = self._decisions.get(question)
        if decision is None:
            if len(self._decisions) >= _MOST_DECISIONS:
                self._decisions.clear()
            decision = self._decisions[question] = self._decided(attributes)
        return decision

    def _decided(self, attributes: Attributes) -> Decision:
        errors: list[str] = []
        for grant in self._policy.grants(attributes.user, attributes.namespace):
            if grant.missing is not None:
                errors.append(grant.missing.message())
            elif any(allows(rule, attributes) for rule in grant.rules):
                return Decision(Verdict.ALLOW, f"RBAC: allowed by {grant}")
        return Decision(Verdict.NO_OPINION, f"RBAC: {aggregate(errors)}" if errors else "")

    def rules_for(self, user: User, namespace: str) -> UserRules:
        grants = list(self._policy.grants(user, namespace))
        errors = [grant.missing.message() for grant in grants if grant.missing is not None]
        return UserRules([rule for grant in grants for rule in grant.rules], error=aggregate(errors))
