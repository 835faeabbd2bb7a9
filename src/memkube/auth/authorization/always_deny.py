"""The authorizer AlwaysDeny, which denies every request (apiserver ``authorizerfactory/builtin.go``)."""

from typing import Final

from memkube.auth.authorization.interface import Attributes, Decision, LocalAuthorizer, UserRules, Verdict
from memkube.registry.declarations.request_options import User

_DENIED: Final = Decision(Verdict.NO_OPINION, "Everything is forbidden.")
_NO_RULES: Final = UserRules(())


class AlwaysDeny(LocalAuthorizer):
    """Authorizer that allows no request."""

    def authorize(self, attributes: Attributes) -> Decision:
        return _DENIED

    def rules_for(self, user: User, namespace: str) -> UserRules:
        return _NO_RULES
