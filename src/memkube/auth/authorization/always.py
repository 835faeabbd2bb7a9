"""Authorizers that decide without policy (apiserver ``authorizerfactory/builtin.go``)."""

from typing import Final

from memkube.auth.authorization.interface import Attributes, Decision, Rule, UserRules, Verdict
from memkube.registry.declarations.request_options import User

_ALLOWED: Final = Decision(Verdict.ALLOW)
_DENIED: Final = Decision(Verdict.NO_OPINION, "Everything is forbidden.")
_ALL_RULES: Final = UserRules((Rule(("*",), ("*",), ("*",)), Rule(("*",), paths=("*",))))
_NO_RULES: Final = UserRules(())


class AlwaysAllow:
    """Authorizer that allows every request."""

    async def catch_up(self) -> None:
        pass

    def authorize(self, attributes: Attributes) -> Decision:
        return _ALLOWED

    def rules_for(self, user: User, namespace: str) -> UserRules:
        return _ALL_RULES


class AlwaysDeny:
    """Authorizer that allows no request."""

    async def catch_up(self) -> None:
        pass

    def authorize(self, attributes: Attributes) -> Decision:
        return _DENIED

    def rules_for(self, user: User, namespace: str) -> UserRules:
        return _NO_RULES
