"""Authorizer that allows members of ``system:masters`` everything (``authorizerfactory.NewPrivilegedGroups``)."""

from typing import Final

from memkube.auth.authorization.interface import Attributes, Decision, LocalAuthorizer, UserRules, Verdict
from memkube.registry.declarations.request_options import MASTERS, User

_ALLOWED: Final = Decision(Verdict.ALLOW)
_NO_OPINION: Final = Decision(Verdict.NO_OPINION)
_NO_RULES: Final = UserRules(())


class PrivilegedGroup(LocalAuthorizer):
    """Authorizer that allows every request of a member of ``system:masters``.

    As in kube-apiserver, it adds no rules to SelfSubjectRulesReviews.
    """

    def authorize(self, attributes: Attributes) -> Decision:
        return _ALLOWED if MASTERS in attributes.user.groups else _NO_OPINION

    def rules_for(self, user: User, namespace: str) -> UserRules:
        return _NO_RULES
