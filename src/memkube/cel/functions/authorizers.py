"""CEL values with which expressions ask if a user may make a request (apiserver ``pkg/cel/library/authz.go``)."""

from dataclasses import dataclass, replace
from typing import ClassVar, Final, Protocol

from memkube.apimachinery import fields, labels
from memkube.apimachinery.fields import FieldSelector
from memkube.apimachinery.labels.selector import LabelSelector
from memkube.apimachinery.names import label_name, subdomain_name
from memkube.cel.declarations import Implementations
from memkube.cel.errors import EvaluationError, no_such_overload
from memkube.cel.values import Opaque

_AUTHORIZATION: Final = "kubernetes.authorization"


@dataclass(frozen=True, slots=True)
class AuthorizationCheck:
    """Attributes of an authorization check: a verb, and a URL path or a resource with optional selectors.

    A selector that could not be parsed is stored as a string with the error message.
    """

    verb: str
    path: str = ""
    group: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    selected_by_fields: FieldSelector | str | None = None
    selected_by_labels: LabelSelector | str | None = None


@dataclass(frozen=True, slots=True)
class AuthorizationResult:
    """Result of an authorization check: decision, reason, and the authorizer's error if it failed."""

    allowed: bool
    reason: str = ""
    error: str | None = None


class SubjectAuthorizer(Protocol):
    """Authorizer for the requests of one user or service account."""

    def decide(self, question: AuthorizationCheck) -> AuthorizationResult:
        """Decide whether the user may make the request to a path or resource that `question` describes."""
        ...

    def as_service_account(self, namespace: str, name: str) -> "SubjectAuthorizer":
        """Return an authorizer that decides for a service account instead of this user."""
        ...


class AlwaysAllow:
    """Authorizer that allows every request (``authorizerfactory``'s AlwaysAllow)."""

    def decide(self, question: AuthorizationCheck) -> AuthorizationResult:
        return AuthorizationResult(allowed=True)

    def as_service_account(self, namespace: str, name: str) -> "AlwaysAllow":
        return self


class _Incomparable(Opaque):
    """A value that cannot be compared, not even with itself: ``==`` raises an error, as in Kubernetes."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        raise no_such_overload()

    __hash__ = object.__hash__


@dataclass(frozen=True, slots=True, eq=False)
class Authorizer(_Incomparable):
    """The value of the CEL variable ``authorizer``, with which expressions start authorization checks."""

    type_name: ClassVar[str] = f"{_AUTHORIZATION}.Authorizer"
    authority: SubjectAuthorizer


@dataclass(frozen=True, slots=True, eq=False)
class PathCheck(_Incomparable):
    """Value of ``authorizer.path(PATH)`` in CEL: an authorization check for the URL path `path`."""

    type_name: ClassVar[str] = f"{_AUTHORIZATION}.PathCheck"
    authority: SubjectAuthorizer
    path: str


@dataclass(frozen=True, slots=True, eq=False)
class GroupCheck(_Incomparable):
    """Value of ``authorizer.group(GROUP)`` in CEL: the start of an authorization check, which has no resource yet."""

    type_name: ClassVar[str] = f"{_AUTHORIZATION}.GroupCheck"
    authority: SubjectAuthorizer
    group: str


@dataclass(frozen=True, slots=True, eq=False)
class ResourceCheck(_Incomparable):
    """Value of ``authorizer.group(GROUP).resource(PLURAL)`` or ``authorizer.requestResource`` in CEL.

    It is an authorization check for a resource. Fields are empty if the expression, or the request, has not set them.
    """

    type_name: ClassVar[str] = f"{_AUTHORIZATION}.ResourceCheck"
    authority: SubjectAuthorizer
    group: str
    resource: str
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    field_selector: str = ""
    label_selector: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Decision(_Incomparable):
    """The result of an authorization check. Expressions read it with ``allowed()`` and ``reason()``."""

    type_name: ClassVar[str] = f"{_AUTHORIZATION}.Decision"
    answer: AuthorizationResult


def _path(authorizer: Authorizer, path: str) -> PathCheck:
    if not path.strip():
        raise EvaluationError("path must not be empty")
    return PathCheck(authorizer.authority, path)


def _service_account(authorizer: Authorizer, namespace: str, name: str) -> Authorizer:
    if subdomain_name(name):
        raise EvaluationError("Invalid service account name")
    if label_name(namespace):
        raise EvaluationError("Invalid service account namespace")
    return Authorizer(authorizer.authority.as_service_account(namespace, name))


def _resource(group: GroupCheck, resource: str) -> ResourceCheck:
    if not resource.strip():
        raise EvaluationError("resource must not be empty")
    return ResourceCheck(group.authority, group.group, resource)


def _field_selector(text: str) -> FieldSelector | str | None:
    try:
        return fields.parse(text) if text else None
    except ValueError as error:
        return str(error)


def _label_selector(text: str) -> LabelSelector | str | None:
    try:
        return labels.parse(text) if text else None
    except ValueError as error:
        return str(error)


def _check_path(check: PathCheck, verb: str) -> Decision:
    return Decision(check.authority.decide(AuthorizationCheck(verb, check.path)))


def _check_resource(check: ResourceCheck, verb: str) -> Decision:
    question = AuthorizationCheck(
        verb,
        group=check.group,
        resource=check.resource,
        subresource=check.subresource,
        namespace=check.namespace,
        name=check.name,
        selected_by_fields=_field_selector(check.field_selector),
        selected_by_labels=_label_selector(check.label_selector),
    )
    return Decision(check.authority.decide(question))


_CHECK: Final = f"{_AUTHORIZATION}.ResourceCheck"
_WITH: Final = f"{_CHECK}.(string): {_CHECK}"
_DECISION: Final = f"{_AUTHORIZATION}.Decision"
_AUTHORIZER: Final = f"{_AUTHORIZATION}.Authorizer"
AUTHORIZERS: Final[Implementations] = {
    "path": {f"{_AUTHORIZER}.(string): {_AUTHORIZATION}.PathCheck": _path},
    "group": {
        f"{_AUTHORIZER}.(string): {_AUTHORIZATION}.GroupCheck": lambda asked, group: GroupCheck(asked.authority, group)
    },
    "serviceAccount": {f"{_AUTHORIZER}.(string, string): {_AUTHORIZER}": _service_account},
    "resource": {f"{_AUTHORIZATION}.GroupCheck.(string): {_CHECK}": _resource},
    "subresource": {_WITH: lambda check, subresource: replace(check, subresource=subresource)},
    "namespace": {_WITH: lambda check, namespace: replace(check, namespace=namespace)},
    "name": {_WITH: lambda check, name: replace(check, name=name)},
    "fieldSelector": {_WITH: lambda check, selector: replace(check, field_selector=selector)},
    "labelSelector": {_WITH: lambda check, selector: replace(check, label_selector=selector)},
    "check": {
        f"{_AUTHORIZATION}.PathCheck.(string): {_DECISION}": _check_path,
        f"{_CHECK}.(string): {_DECISION}": _check_resource,
    },
    "errored": {f"{_DECISION}.(): bool": lambda decision: decision.answer.error is not None},
    "error": {f"{_DECISION}.(): string": lambda decision: decision.answer.error or ""},
    "allowed": {f"{_DECISION}.(): bool": lambda decision: decision.answer.allowed},
    "reason": {f"{_DECISION}.(): string": lambda decision: decision.answer.reason},
}
