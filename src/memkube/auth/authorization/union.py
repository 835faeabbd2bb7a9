"""Union of several authorizers, which are asked in order (apiserver ``authorization/union``)."""

from collections.abc import Sequence

from memkube.apimachinery.field_errors import aggregate_message
from memkube.auth.authorization.interface import (
    Attributes,
    Authorizer,
    Decision,
    LocalAuthorizer,
    Rule,
    UserRules,
    Verdict,
)
from memkube.registry.declarations.request_options import User


class Union(LocalAuthorizer):
    """Authorizer that asks several authorizers in order, until one allows or denies the request."""

    def __init__(self, authorizers: Sequence[Authorizer]) -> None:
        self._authorizers = authorizers
        # Authorizers that override `catch_up` decide by stored objects, which they must read before each decision.
        self._readers = [one for one in authorizers if type(one).catch_up is not LocalAuthorizer.catch_up]

    async def catch_up(self) -> None:
        for reader in self._readers:
            await reader.catch_up()

    async def decide(self, attributes: Attributes) -> Decision:
        for reader in self._readers:
            await reader.catch_up()
        return self.authorize(attributes)

    def authorize(self, attributes: Attributes) -> Decision:
        undecided: list[Decision] = []
        for authorizer in self._authorizers:
            decision = authorizer.authorize(attributes)
            if decision.verdict is not Verdict.NO_OPINION:
                return decision
            undecided.append(decision)
        return _no_opinion(undecided)

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


class AskingUnion(Union):
    """A union of authorizers, some of which call other servers and must be awaited."""

    async def decide(self, attributes: Attributes) -> Decision:
        undecided: list[Decision] = []
        for authorizer in self._authorizers:
            decision = await authorizer.decide(attributes)
            if decision.verdict is not Verdict.NO_OPINION:
                return decision
            undecided.append(decision)
        return _no_opinion(undecided)


def _no_opinion(decisions: Sequence[Decision]) -> Decision:
    """Return the decision "no opinion", with the reasons and errors of all decisions."""
    reasons = [decision.reason for decision in decisions if decision.reason]
    errors = [decision.error for decision in decisions if decision.error]
    return Decision(Verdict.NO_OPINION, "\n".join(reasons), aggregate(errors))


def aggregate(errors: Sequence[str]) -> str:
    """Return several error messages as one, as Go's ``utilerrors.NewAggregate`` does; empty if there are none."""
    return aggregate_message(errors) if errors else ""
