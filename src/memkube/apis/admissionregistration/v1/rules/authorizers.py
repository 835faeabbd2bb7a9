"""Who may do what, as expressions ask for it (apiserver ``pkg/cel/library/authz.go``)."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final, Protocol

from memkube.apimachinery.names import is_dns1123_label, is_dns1123_subdomain
from memkube.cel.costs.actual import CallCost, actual_size, text_cost
from memkube.cel.costs.nodes import LIST, STRUCT
from memkube.cel.declarations import Implementations
from memkube.cel.errors import EvaluationError
from memkube.cel.values import Opaque, Value
from memkube.registry.requests import AUTHENTICATED, SERVICE_ACCOUNTS, User

_CHECK_COST: Final = 350_000
_PACKAGE: Final = "kubernetes.authorization"
_AUTHORIZER: Final = f"{_PACKAGE}.Authorizer"
_PATH: Final = f"{_PACKAGE}.PathCheck"
_GROUP: Final = f"{_PACKAGE}.GroupCheck"
_RESOURCE: Final = f"{_PACKAGE}.ResourceCheck"
_DECISION: Final = f"{_PACKAGE}.Decision"


@dataclass(frozen=True, slots=True)
class Question:
    """May somebody do this? Either a path is named, or a resource."""

    user: User
    verb: str = ""
    path: str = ""
    group: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    field_selector: str = ""
    label_selector: str = ""


class Authorizer(Protocol):
    """Answers such questions."""

    def authorize(self, question: Question) -> "Decision":
        """The answer; no error is raised."""


@dataclass(frozen=True, slots=True)
class Decision(Opaque):
    """An answer, and why; `error` tells what went wrong on the way to it."""

    type_name: ClassVar[str] = _DECISION
    allowed: bool
    reason: str = ""
    error: str = ""


class AllowAll:
    """Everybody may do everything (the authorizer AlwaysAllow)."""

    def authorize(self, question: Question) -> Decision:
        """See Authorizer."""
        return Decision(allowed=True)


@dataclass(frozen=True, slots=True)
class AuthorizerValue(Opaque):
    """What expressions begin their questions with."""

    type_name: ClassVar[str] = _AUTHORIZER
    question: Question
    authorizer: Authorizer = field(default_factory=AllowAll)


@dataclass(frozen=True, slots=True)
class _Check(Opaque):
    """A question that is being put together."""

    question: Question
    authorizer: Authorizer

    def with_more(self, **said: str) -> "_Check":
        return replace(self, question=replace(self.question, **said))  # type: ignore[arg-type]  # texts, none the user

    def decide(self, verb: str) -> Decision:
        return self.authorizer.authorize(replace(self.question, verb=verb))


class _PathCheck(_Check):
    type_name: ClassVar[str] = _PATH


class _GroupCheck(_Check):
    type_name: ClassVar[str] = _GROUP


class ResourceCheck(_Check):
    """A question about a resource, or about the one of the request."""

    type_name: ClassVar[str] = _RESOURCE


def _path(value: AuthorizerValue, path: str) -> _Check:
    if not path.strip():
        raise EvaluationError("path must not be empty")
    return _PathCheck(replace(value.question, path=path), value.authorizer)


def _group(value: AuthorizerValue, group: str) -> _Check:
    return _GroupCheck(replace(value.question, group=group), value.authorizer)


def _service_account(value: AuthorizerValue, namespace: str, name: str) -> AuthorizerValue:
    if is_dns1123_subdomain(name):
        raise EvaluationError("Invalid service account name")
    if is_dns1123_label(namespace):
        raise EvaluationError("Invalid service account namespace")
    groups = (SERVICE_ACCOUNTS, f"{SERVICE_ACCOUNTS}:{namespace}", AUTHENTICATED)
    user = User(f"system:serviceaccount:{namespace}:{name}", groups=groups)
    return replace(value, question=Question(user))


def _resource(check: _Check, resource: str) -> ResourceCheck:
    if not resource.strip():
        raise EvaluationError("resource must not be empty")
    return ResourceCheck(replace(check.question, resource=resource), check.authorizer)


def _saying(name: str) -> Callable[[_Check, str], _Check]:
    return lambda check, said: check.with_more(**{name: said})


def _checked(check: _Check, verb: str) -> Decision:
    return check.decide(verb)


def _selector_cost(signature: str, arguments: Sequence[Value], result: Value) -> int:
    """A selector is read, and is a list of perhaps half as many requirements as it has characters."""
    length = actual_size(arguments[1])
    return LIST + text_cost(length) + (LIST + STRUCT) * math.ceil(length / 2)


AUTHORIZERS: Final[Implementations] = {
    "path": {f"{_AUTHORIZER}.(string): {_PATH}": _path},
    "group": {f"{_AUTHORIZER}.(string): {_GROUP}": _group},
    "serviceAccount": {f"{_AUTHORIZER}.(string, string): {_AUTHORIZER}": _service_account},
    "resource": {f"{_GROUP}.(string): {_RESOURCE}": _resource},
    "subresource": {f"{_RESOURCE}.(string): {_RESOURCE}": _saying("subresource")},
    "namespace": {f"{_RESOURCE}.(string): {_RESOURCE}": _saying("namespace")},
    "name": {f"{_RESOURCE}.(string): {_RESOURCE}": _saying("name")},
    "fieldSelector": {f"{_RESOURCE}.(string): {_RESOURCE}": _saying("field_selector")},
    "labelSelector": {f"{_RESOURCE}.(string): {_RESOURCE}": _saying("label_selector")},
    "check": {f"{_PATH}.(string): {_DECISION}": _checked, f"{_RESOURCE}.(string): {_DECISION}": _checked},
    "errored": {f"{_DECISION}.(): bool": lambda decision: bool(decision.error)},
    "error": {f"{_DECISION}.(): string": lambda decision: decision.error},
    "allowed": {f"{_DECISION}.(): bool": lambda decision: decision.allowed},
    "reason": {f"{_DECISION}.(): string": lambda decision: decision.reason},
}
"""The library's functions."""
COSTS: Final[Mapping[str, CallCost]] = {
    "check": lambda signature, arguments, result: _CHECK_COST,
    "fieldSelector": _selector_cost,
    "labelSelector": _selector_cost,
}
