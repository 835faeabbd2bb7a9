"""What clients asked and were told, and what watchers were shown: the facts that histories are judged by."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

Data: TypeAlias = Mapping[str, str]
Verb: TypeAlias = Literal["create", "get", "list", "replace", "patch", "delete"]
Outcome: TypeAlias = Literal["done", "exists", "absent", "conflict", "unknown"]
"""``unknown``: no answer came, so that a write may have taken effect, once, at any time since it was sent.

The others are a success and the reasons AlreadyExists, NotFound and Conflict.
"""
WRITES: Final = frozenset({"create", "replace", "patch", "delete"})
WRITER: Final = "by"
"""The field in which each write leaves its own name, which no other ever has."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One request of one client. Times are nanoseconds of one clock that never goes back."""

    client: int
    verb: Verb
    key: str
    """The object's; empty for a list, which is about all of them."""
    invoked: int
    """A time before the request was sent."""
    returned: int
    """A time after the answer was there, or after waiting for it was given up."""
    outcome: Outcome
    revision: int = 0
    """The resourceVersion in the answer, which those of deletions do not have; 0 where there is none."""
    expected: int = 0
    """The resourceVersion that the request makes its condition; 0 where any will do."""
    name: str = ""
    """That of a write."""
    data: Data = field(default_factory=dict)
    """What a write sends: a patch the fields that it changes. What a get is shown."""
    uid: str = ""
    """In the answer to a deletion."""
    listed: Mapping[str, int] = field(default_factory=dict)
    """What a list is shown: the resourceVersion of each key."""


@dataclass(frozen=True, slots=True)
class Change:
    """A watch event. That of a deletion has the last data, and the revision of the deletion."""

    revision: int
    type: Literal["ADDED", "MODIFIED", "DELETED"]
    key: str
    uid: str
    data: Data


@dataclass(frozen=True, slots=True)
class Stretch:
    """What one watcher was shown by one watch, or between two bookmarks of it: events later than `after`."""

    after: int
    changes: Sequence[Change]
    until: int
    """The revision that it then goes on from: that of the last event, or of the bookmark."""
    expired: bool = False
    """Whether a 410 came before, so that it had to begin with a list of revision `after`."""


@dataclass(frozen=True, slots=True)
class Watched:
    """One watcher's stretches, in their order; the first one begins with a list."""

    prefix: str
    """What the keys begin with that it watches."""
    stretches: Sequence[Stretch]


@dataclass(frozen=True, slots=True)
class History:
    """Everything that happened to the objects, from revision `begun` on, when there were none of them."""

    begun: int
    operations: Sequence[Operation]
    watched: Sequence[Watched]
    final: Mapping[str, int]
    """A list when all was over: the resourceVersion of each key."""
    ended: int
    """That list's own; every watcher has had time to see what came before."""
