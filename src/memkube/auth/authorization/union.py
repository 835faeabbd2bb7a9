"""Several authorizers as one (apiserver ``authorization/union``)."""

from collections.abc import Sequence

from memkube.auth.authorization.interface import Attributes, Authorizer, Decision, Rule, UserRules, Verdict
from memkube.registry.declarations.request_options import User


class Union:
    """Asks authorizers in order until one allows or denies the request."""

    def __init__(self, authorizers: Sequence[Authorizer]) -> None:
        self._authorizers = authorizers

    async def catch_up(self) -> None:
        for authorizer in self._authorizers:
            await authorizer.catch_up()

    def authorize(self, attributes: Attributes) -> Decision:
        reasons: list[str] = []
        errors: list[str] = []
        for authorizer in self._authorizers:
            decision = authorizer.authorize(attributes)
            if decision.verdict is not Verdict.NO_OPINION:
                return decision
            reasons += [decision.reason] if decision.reason else []
            errors += [decision.error] if decision.error else []
        return Decision(Verdict.NO_OPINION, "\n".join(reasons), aggregate(errors))

    def rules_for(self, user: User, namespace: str) -> UserRules:
        rules: list[Rule] = []
        errors: list[str] = []
        incomplete = False
        for authorizer in self._authorizers:
            found = authorizer.rules_for(user, namespace)
            rules += found.rules
            errors += [found.error] if found.error else []
            incomplete = incomplete or found.incomplete
        return UserRules(rules, incomplete, aggregate(errors))


def aggregate(errors: Sequence[str]) -> str:
    """Return several errors as one message, as Go's ``utilerrors.NewAggregate`` does; empty if there are none."""
    distinct = list(dict.fromkeys(errors))
    return distinct[0] if len(distinct) == 1 else f"[{', '.join(distinct)}]" if distinct else ""
