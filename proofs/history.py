"""The recorded requests, responses and watch events of a race, by which its linearizability is checked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

Data: TypeAlias = Mapping[str, str]
Verb: TypeAlias = Literal["create", "get", "list", "replace", "patch", "delete"]
Outcome: TypeAlias = Literal["done", "exists", "absent", "conflict", "unknown"]
"""Outcome of an operation.

``unknown`` means that there was no response: a write may have taken effect once, at any time since it was sent. The
others are success and the reasons AlreadyExists, NotFound and Conflict.
"""
WRITES: Final = frozenset({"create", "replace", "patch", "delete"})
WRITER: Final = "by"
"""The field in which each write stores its own unique name."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One request of one client. Times are nanoseconds of one monotonic clock."""

    client: int
    verb: Verb
    key: str
    """Key of the object; empty for a list, which covers all objects."""
    invoked: int
    """A time before the request was sent."""
    returned: int
    """A time after the response arrived, or after the client gave up waiting."""
    outcome: Outcome
    revision: int = 0
    """The resourceVersion in the response; 0 if there is none, as in responses to deletions."""
    expected: int = 0
    """The resourceVersion that the request gives as its precondition; 0 without a precondition."""
    name: str = ""
    """Name of a write; empty for reads."""
    data: Data = field(default_factory=dict)
    """For a patch the changed fields, for other writes the data sent, for a get the data received."""
    uid: str = ""
    """The object's uid in the response to a deletion."""
    listed: Mapping[str, int] = field(default_factory=dict)
    """The result of a list: the resourceVersion of each key."""


@dataclass(frozen=True, slots=True)
class Change:
    """A watch event. A deletion has the last data of the object, and the revision of the deletion."""

    revision: int
    type: Literal["ADDED", "MODIFIED", "DELETED"]
    key: str
    uid: str
    data: Data


@dataclass(frozen=True, slots=True)
class Stretch:
    """The events that one watch delivered, or delivered between two bookmarks: those later than revision `after`."""

    after: int
    changes: Sequence[Change]
    until: int
    """The revision to continue from: that of the last event or bookmark."""
    expired: bool = False
    """True if the previous watch ended with 410, so that this one began at a list of revision `after`."""


@dataclass(frozen=True, slots=True)
class Watched:
    """The stretches of one watcher in order; the first one begins at a list."""

    prefix: str
    """Prefix of the keys that the watcher watches."""
    stretches: Sequence[Stretch]


@dataclass(frozen=True, slots=True)
class History:
    """Everything that happened to the objects since revision `begun`, at which none of them existed."""

    begun: int
    operations: Sequence[Operation]
    watched: Sequence[Watched]
    final: Mapping[str, int]
    """The result of a list after the end of the race: the resourceVersion of each key."""
    ended: int
    """Revision of that list; every watcher has had time to receive the events up to it."""
