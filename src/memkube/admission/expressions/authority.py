"""Authorization checks for the CEL variable ``authorizer`` (apiserver ``pkg/cel/library/authz.go``)."""

from typing import Final

from memkube.apimachinery.fields import FieldSelector
from memkube.apimachinery.labels.selector import LabelSelector
from memkube.auth.authorization.interface import Attributes, Authorizer
from memkube.cel.functions.authorizers import AuthorizationCheck, AuthorizationResult
from memkube.registry.declarations.request_options import SERVICE_ACCOUNTS, User

_ANY_VERSION: Final = "*"


class RequestAuthority:
    """Answers the authorization checks of CEL expressions for one user: the requesting user or a service account."""

    def __init__(self, authorizer: Authorizer, user: User) -> None:
        self._authorizer = authorizer
        self._user = user

    def decide(self, question: AuthorizationCheck) -> AuthorizationResult:
        decision = self._authorizer.authorize(self._attributes(question))
        return AuthorizationResult(decision.allowed, decision.reason, decision.error or None)

    def as_service_account(self, namespace: str, name: str) -> "RequestAuthority":
        groups = (SERVICE_ACCOUNTS, f"{SERVICE_ACCOUNTS}:{namespace}")
        return RequestAuthority(self._authorizer, User(f"system:serviceaccount:{namespace}:{name}", groups=groups))

    def _attributes(self, question: AuthorizationCheck) -> Attributes:
        if question.path:
            return Attributes(self._user, question.verb, is_resource=False, path=question.path)
        by_fields, by_labels = question.selected_by_fields, question.selected_by_labels
        return Attributes(
            self._user,
            question.verb,
            question.namespace,
            question.group,
            _ANY_VERSION,
            question.resource,
            question.subresource,
            question.name,
            field_selector=by_fields if isinstance(by_fields, FieldSelector) else None,
            label_selector=by_labels if isinstance(by_labels, LabelSelector) else None,
        )
