"""The interface between requests and authorizers (apiserver ``authorization/authorizer``)."""

from collections.abc import Sequence
from enum import Enum
from typing import Final, NamedTuple, Protocol, Self

from memkube.apimachinery.errors import ApiError, Details, GroupResource, forbidden
from memkube.apimachinery.fields import FieldSelector
from memkube.apimachinery.labels import LabelSelector
from memkube.apimachinery.model import Document
from memkube.apimachinery.shown_values import quoted
from memkube.registry.declarations.request_options import Right, User, WriteContext

RBAC_GROUP: Final = "rbac.authorization.k8s.io"


class Attributes(NamedTuple):
    """A request as authorizers see it: a user and a verb, on a resource or on a path (``authorizer.Attributes``)."""

    user: User
    verb: str
    """Verb such as ``get``, ``list`` or ``deletecollection``; the HTTP method in lower case for a path."""
    namespace: str = ""
    group: str = ""
    version: str = ""
    resource: str = ""
    subresource: str = ""
    name: str = ""
    is_resource: bool = True
    """True for a request for a resource; False for a request for a path such as ``/healthz``."""
    path: str = ""
    """Path of the URL, for a request that is not for a resource."""
    field_selector: FieldSelector | None = None
    """Field selector of a list, watch or deletecollection.

    None if the request has no field selector, or an invalid one.
    """
    label_selector: LabelSelector | None = None
    """Label selector of a list, watch or deletecollection.

    None if the request has no label selector, or an invalid one.
    """

    @property
    def right(self) -> Right:
        """The right that a user needs for this request."""
        if not self.is_resource:
            return Right(self.verb, path=self.path)
        resource = f"{self.resource}/{self.subresource}" if self.subresource else self.resource
        return Right(self.verb, self.group, resource, self.namespace, self.name)


class Verdict(Enum):
    """The answer of an authorizer.

    If the answer is no opinion, the next authorizer decides.
    """

    ALLOW = "allow"
    DENY = "deny"
    NO_OPINION = "no opinion"


class Decision(NamedTuple):
    """Decision of an authorizer about a request.

    `reason` is sent to the client; `error` tells why rules could not be evaluated.
    """

    verdict: Verdict
    reason: str = ""
    error: str = ""

    @property
    def allowed(self) -> bool:
        """True if the authorizer allows the request."""
        return self.verdict is Verdict.ALLOW


class Rule(NamedTuple):
    """Verbs that are allowed on resources, or on paths (``rbac/v1.PolicyRule``)."""

    verbs: Sequence[str]
    groups: Sequence[str] = ()
    resources: Sequence[str] = ()
    names: Sequence[str] = ()
    paths: Sequence[str] = ()


class UserRules(NamedTuple):
    """The rules that apply to a user in a namespace."""

    rules: Sequence[Rule]
    incomplete: bool = False
    """True if `rules` may lack some rules, because an authorizer cannot list all of them."""
    error: str = ""
    """Errors of authorizers that could not evaluate all their rules; empty if there were no errors."""


class Authorizer(Protocol):
    """Decides which requests are allowed (``authorizer.Authorizer`` and ``RuleResolver``)."""

    async def catch_up(self) -> None:
        """Read the changes of roles and bindings since the previous call; `authorize` then applies them."""

    def authorize(self, attributes: Attributes) -> Decision:
        """Decide whether a request is allowed, by the roles and bindings that `catch_up` has read.

        Unlike `decide`, this method does not wait: an authorizer that would have to call another server reports an
        error.
        """

    async def decide(self, attributes: Attributes) -> Decision:
        """Read the changes of roles and bindings, and decide whether a request is allowed."""

    def rules_for(self, user: User, namespace: str) -> UserRules:
        """Return the rules that apply to the user in the namespace."""


class NotAllowed(ApiError):
    """The 403 error for a request whose user lacks rights."""

    rights: tuple[Right, ...] = ()
    """The rights that the user lacks; empty if they are unknown."""

    @classmethod
    def of(cls, error: ApiError, *rights: Right) -> Self:
        """Return a NotAllowed with the contents of `error`. `rights` are the rights that the user lacks."""
        made = cls(error.code, error.reason, error.message, error.details)
        made.rights = rights
        return made


class LocalAuthorizer(Authorizer):
    """Base class of authorizers that decide without calling another server.

    By default, an authorizer has no roles or bindings to read.
    """

    async def catch_up(self) -> None:
        pass

    async def decide(self, attributes: Attributes) -> Decision:
        await self.catch_up()
        return self.authorize(attributes)


_ALLOWED: Final = Decision(Verdict.ALLOW)
_ALL_RULES: Final = UserRules((Rule(("*",), ("*",), ("*",)), Rule(("*",), paths=("*",))))


class AlwaysAllow(LocalAuthorizer):
    """Authorizer that allows every request (``authorizerfactory/builtin.go``)."""

    def authorize(self, attributes: Attributes) -> Decision:
        return _ALLOWED

    def rules_for(self, user: User, namespace: str) -> UserRules:
        return _ALL_RULES


class EscalationChecks(Protocol):
    """Prevents users from granting rights that they do not have (``pkg/registry/rbac/*/policybased``)."""

    async def check_role(self, plural: str, name: str, rules: Sequence[Rule], context: WriteContext) -> None:
        """Check that the user may put `rules` into the new or changed Role or ClusterRole `name`.

        The user needs all rights that the rules grant, or the right to escalate the role. Raises ApiError 403 if the
        user has neither.
        """

    async def check_aggregation(self, name: str, context: WriteContext) -> None:
        """Check that the user may set the aggregationRule of a ClusterRole. Raises ApiError 403 if not."""

    async def check_binding(self, plural: str, name: str, reference: Document, context: WriteContext) -> None:
        """Check that the user may bind the role in `reference`, the ``roleRef`` of the new or changed binding `name`.

        `plural` is rolebindings or clusterrolebindings. The user needs all rights of the role, or the right to bind it.

        Raises ApiError 403 if the user has neither, and 404 if the role does not exist.
        """


class NoEscalationChecks:
    """Escalation checks that allow all writes, for servers without authorization.

    They record which rights a check would have required.
    """

    async def check_role(self, plural: str, name: str, rules: Sequence[Rule], context: WriteContext) -> None:
        context.rights.append(escalation_right(plural, context))

    async def check_aggregation(self, name: str, context: WriteContext) -> None:
        context.rights.append(escalation_right("clusterroles", context))

    async def check_binding(self, plural: str, name: str, reference: Document, context: WriteContext) -> None:
        context.rights.append(binding_right(reference, context))


def escalation_right(plural: str, context: WriteContext) -> Right:
    """Return the right with the verb ``escalate`` on the role that the request writes.

    A user with this right may give the role rights that the user does not have. `plural` is roles or clusterroles.
    """
    return Right("escalate", RBAC_GROUP, plural, context.namespace, context.name)


def binding_right(reference: Document, context: WriteContext) -> Right:
    """Return the right with the verb ``bind`` on the role that `reference`, a ``roleRef``, names.

    The right is for the namespace of the request; if the request has no namespace, it is for all namespaces.
    """
    plural = "clusterroles" if reference["kind"] == "ClusterRole" else "roles"
    return Right("bind", RBAC_GROUP, plural, context.namespace, reference["name"])


def forbidden_request(attributes: Attributes, reason: str) -> NotAllowed:
    """Return the 403 error for a request that the authorizer rejects (``responsewriters.ForbiddenStatusError``).

    `reason` is the authorizer's reason; it may be empty.
    """
    message = unlike_html(_message(attributes))
    why = f"{message}: {reason}" if reason else message
    if not attributes.resource:
        return NotAllowed.of(ApiError(403, "Forbidden", f"forbidden: {why}", Details()), attributes.right)
    error = forbidden(GroupResource(attributes.group, attributes.resource), attributes.name, why)
    return NotAllowed.of(error, attributes.right)


def _message(attributes: Attributes) -> str:
    user = f"User {quoted(attributes.user.name)} cannot {attributes.verb}"
    if not attributes.is_resource:
        return f"{user} path {quoted(attributes.path)}"
    resource = "/".join(filter(None, (attributes.resource, attributes.subresource)))
    where = f"in the namespace {quoted(attributes.namespace)}" if attributes.namespace else "at the cluster scope"
    return f"{user} resource {quoted(resource)} in API group {quoted(attributes.group)} {where}"


def unlike_html(text: str) -> str:
    """Escape ``&``, ``<`` and ``>``, because a browser could show the text of an error as HTML."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
