"""The interface between requests and authorizers (apiserver ``authorization/authorizer``)."""

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple, Protocol

from memkube.apimachinery.fields import FieldSelector
from memkube.apimachinery.labels import LabelSelector
from memkube.registry.declarations.request_options import User


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
    """Path of the URL."""
    field_selector: FieldSelector | None = None
    """Field selector of a list, watch or deletecollection; None if there is none or it cannot be parsed."""
    label_selector: LabelSelector | None = None
    """Label selector of a list, watch or deletecollection; None if there is none or it cannot be parsed."""


class Verdict(Enum):
    """The answer of an authorizer. The next authorizer decides if an authorizer has no opinion."""

    ALLOW = "allow"
    DENY = "deny"
    NO_OPINION = "no opinion"


class Decision(NamedTuple):
    """The answer of an authorizer, with the reason that a client is told and the error of an incomplete evaluation."""

    verdict: Verdict
    reason: str = ""
    error: str = ""

    @property
    def allowed(self) -> bool:
        """True if the request is allowed."""
        return self.verdict is Verdict.ALLOW


class Rule(NamedTuple):
    """Verbs that are allowed on resources, or on paths (``rbac/v1.PolicyRule``)."""

    verbs: Sequence[str]
    groups: Sequence[str] = ()
    resources: Sequence[str] = ()
    names: Sequence[str] = ()
    paths: Sequence[str] = ()


class UserRules(NamedTuple):
    """The rules that apply to a user in a namespace, as far as the authorizers can list them."""

    rules: Sequence[Rule]
    incomplete: bool = False
    """True if an authorizer cannot list all rules."""
    error: str = ""
    """Error of an incomplete evaluation."""


class Authorizer(Protocol):
    """Decides which requests are allowed (``authorizer.Authorizer`` and ``RuleResolver``)."""

    async def catch_up(self) -> None:
        """Read the changes of roles and bindings since the previous call. Called once for each request."""

    def authorize(self, attributes: Attributes) -> Decision:
        """Decide whether a request is allowed, by the roles and bindings that `catch_up` has read."""

    def rules_for(self, user: User, namespace: str) -> UserRules:
        """Return the rules that apply to the user in the namespace."""
