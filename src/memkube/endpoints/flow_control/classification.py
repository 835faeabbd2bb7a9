"""The FlowSchemas and priority levels by which requests are classified (apiserver ``util/flowcontrol``).

``classifier.py`` selects the FlowSchema of a request.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.registry.declarations.authorization import Attributes
from memkube.registry.declarations.priority_levels import limits_of
from memkube.registry.declarations.request_options import User

_ALL: Final = ("*",)
_ACCOUNT: Final = "system:serviceaccount:"
_LEVEL_HEADER: Final = b"x-kubernetes-pf-prioritylevel-uid"
_SCHEMA_HEADER: Final = b"x-kubernetes-pf-flowschema-uid"


class PriorityLevel(NamedTuple):
    """A PriorityLevelConfiguration: the seats for its requests, and the length of their queues."""

    name: str
    uid: str
    is_exempt: bool
    """True if requests of the level always get a seat at once, even if all seats are taken."""
    shares: int
    """Share of the level (``nominalConcurrencyShares``): all seats are divided in proportion to the levels' shares."""
    lendable_percent: int
    """Percentage of the level's seats that other levels may use while the level does not need them."""
    borrowing_percent: int | None
    """Number of seats that the level may borrow, as a percentage of its own seats; None for no limit."""
    longest_queue: int
    """Maximum number of requests that wait in the queue of one flow; 0 to reject requests without a seat at once."""

    @classmethod
    def of(cls, document: Document) -> "PriorityLevel":
        """Convert a PriorityLevelConfiguration (JSON data) to a priority level."""
        spec, metadata = document["spec"], document["metadata"]
        limits = limits_of(document) or {}
        queuing = (limits.get("limitResponse") or {}).get("queuing")
        return cls(
            metadata["name"],
            metadata["uid"],
            spec["type"] == "Exempt",
            limits.get("nominalConcurrencyShares") or 0,
            limits.get("lendablePercent") or 0,
            limits.get("borrowingLimitPercent"),
            queuing["handSize"] * queuing["queueLengthLimit"] if queuing else 0,
        )


class FlowClass(NamedTuple):
    """Result of classifying a request: its FlowSchema and priority level."""

    schema: str
    """Name of the FlowSchema."""
    level: PriorityLevel
    distinguisher: str
    """Distinguisher method of the FlowSchema: ByUser, ByNamespace, or "" if all its requests are one flow."""
    headers: tuple[tuple[bytes, bytes], ...]
    """Response headers with the UIDs of the FlowSchema and the priority level."""


class FlowSchema(NamedTuple):
    """A FlowSchema whose priority level exists, for matching requests."""

    rules: Sequence[Document]
    flow_class: FlowClass

    @classmethod
    def of(cls, document: Document, level: PriorityLevel) -> "FlowSchema":
        """Convert a FlowSchema (JSON data) that refers to this priority level."""
        spec, metadata = document["spec"], document["metadata"]
        headers = (_LEVEL_HEADER, level.uid.encode()), (_SCHEMA_HEADER, metadata["uid"].encode())
        method = (spec.get("distinguisherMethod") or {}).get("type", "")
        return cls(spec.get("rules") or (), FlowClass(metadata["name"], level, method, headers))

    def for_user(self, user: User) -> "FlowSchema | None":
        """Return a copy with only the rules whose subjects include the user; None if there are no such rules."""
        rules = [rule for rule in self.rules if any(_is_subject(user, one) for one in rule.get("subjects") or ())]
        return self._replace(rules=rules) if rules else None

    def matches(self, request: Attributes) -> bool:
        """Return True if a rule matches the verb and the resource or path of a request.

        The subjects of the rules are not compared: see :meth:`for_user`.
        """
        if request.is_resource:
            return any(_matches(one, request) for rule in self.rules for one in rule.get("resourceRules") or ())
        return any(_matches_path(one, request) for rule in self.rules for one in rule.get("nonResourceRules") or ())


def in_order(documents: Sequence[Document]) -> list[Document]:
    """Sort FlowSchemas (JSON data) as they are tried for a request: by precedence, then by name."""
    return sorted(documents, key=lambda schema: (schema["spec"]["matchingPrecedence"], schema["metadata"]["name"]))


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
    """Return True if a list in a rule contains the value `wanted`. The list ``["*"]`` contains every value."""
    return wanted in values or tuple(values) == _ALL
