"""Classification of requests: the FlowSchema that a request matches, and its priority level (``util/flowcontrol``).

``classifier.py`` chooses among the FlowSchemas.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.registry.declarations.authorization import Attributes
from memkube.registry.declarations.request_options import User

_ALL: Final = ("*",)
_ACCOUNT: Final = "system:serviceaccount:"
_LEVEL_HEADER: Final = b"x-kubernetes-pf-prioritylevel-uid"
_SCHEMA_HEADER: Final = b"x-kubernetes-pf-flowschema-uid"


class PriorityLevel(NamedTuple):
    """A PriorityLevelConfiguration: the share of seats of its requests, and the length of their queues."""

    name: str
    uid: str
    is_exempt: bool
    """True if the requests get a seat at once, whatever number is taken."""
    shares: int
    """Part of all seats that the level has, in proportion to the shares of all levels."""
    lendable_percent: int
    """Percentage of the level's seats that other levels may use while this one does not."""
    borrowing_percent: int | None
    """Number of seats that the level may use beyond its own, in percent of its own; None for no limit."""
    longest_queue: int
    """Maximum number of waiting requests of one flow; 0 if requests without a seat are refused at once."""

    @classmethod
    def of(cls, document: Document) -> "PriorityLevel":
        """Return the priority level that a PriorityLevelConfiguration (JSON data) describes."""
        spec, metadata = document["spec"], document["metadata"]
        is_exempt = spec["type"] == "Exempt"
        limits = spec.get("exempt" if is_exempt else "limited") or {}
        queuing = (limits.get("limitResponse") or {}).get("queuing")
        return cls(
            metadata["name"],
            metadata["uid"],
            is_exempt,
            limits.get("nominalConcurrencyShares") or 0,
            limits.get("lendablePercent") or 0,
            limits.get("borrowingLimitPercent"),
            queuing["handSize"] * queuing["queueLengthLimit"] if queuing else 0,
        )


class FlowClass(NamedTuple):
    """The FlowSchema that a request matches, with its priority level."""

    schema: str
    """Name of the FlowSchema."""
    level: PriorityLevel
    distinguisher: str
    """Attribute that distinguishes the flows of the schema: ByUser, ByNamespace, or "" if all requests are one flow."""
    headers: tuple[tuple[bytes, bytes], ...]
    """Headers of the response, which name the FlowSchema and the priority level by their UIDs."""


class FlowSchema(NamedTuple):
    """A FlowSchema whose priority level exists."""

    rules: Sequence[Document]
    flow_class: FlowClass

    @classmethod
    def of(cls, document: Document, level: PriorityLevel) -> "FlowSchema":
        """Return the schema that a FlowSchema (JSON data) with this priority level describes."""
        spec, metadata = document["spec"], document["metadata"]
        headers = (_LEVEL_HEADER, level.uid.encode()), (_SCHEMA_HEADER, metadata["uid"].encode())
        method = (spec.get("distinguisherMethod") or {}).get("type", "")
        return cls(spec.get("rules") or (), FlowClass(metadata["name"], level, method, headers))

    def for_user(self, user: User) -> "FlowSchema | None":
        """Return the schema with only those rules that name the user or a group of the user; None if none does."""
        rules = [rule for rule in self.rules if any(_is_subject(user, one) for one in rule.get("subjects") or ())]
        return self._replace(rules=rules) if rules else None

    def matches(self, request: Attributes) -> bool:
        """Return True if a rule matches the verb and the resource or path of a request. The user is not compared."""
        if request.is_resource:
            return any(_matches(one, request) for rule in self.rules for one in rule.get("resourceRules") or ())
        return any(_matches_path(one, request) for rule in self.rules for one in rule.get("nonResourceRules") or ())


def in_order(documents: Sequence[Document]) -> list[Document]:
    """Return FlowSchemas in the order in which they are tried: by precedence, then by name."""
    return sorted(documents, key=lambda one: (one["spec"]["matchingPrecedence"], one["metadata"]["name"]))


def _is_subject(user: User, subject: Document) -> bool:
    match subject["kind"]:
        case "User":
            return subject["user"]["name"] in ("*", user.name)
        case "Group":
            return subject["group"]["name"] == "*" or subject["group"]["name"] in user.groups
        case "ServiceAccount":
            account = subject["serviceAccount"]
            prefix = f"{_ACCOUNT}{account['namespace']}:"
            return user.name.startswith(prefix) if account["name"] == "*" else user.name == prefix + account["name"]
    return False


def _matches(rule: Document, request: Attributes) -> bool:
    resource = f"{request.resource}/{request.subresource}" if request.subresource else request.resource
    if not (_has(rule["verbs"], request.verb) and _has(rule["resources"], resource)):
        return False
    if not _has(rule["apiGroups"], request.group):
        return False
    if not request.namespace:
        return bool(rule.get("clusterScope"))
    return _has(rule.get("namespaces") or (), request.namespace)


def _matches_path(rule: Document, request: Attributes) -> bool:
    return _has(rule["verbs"], request.verb) and any(
        pattern in ("*", request.path) or request.path.startswith(f"{pattern.removesuffix('*').removesuffix('/')}/")
        for pattern in rule["nonResourceURLs"]
    )


def _has(values: Sequence[str], wanted: str) -> bool:
    """Return True if a list of a rule contains the value. The list ``["*"]`` contains every value."""
    return wanted in values or tuple(values) == _ALL
