"""What a fault does. Each effect belongs to one stage of a request's way, where those with that stage are asked for."""

from enum import Enum, auto
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

Seconds: TypeAlias = Annotated[float, Field(ge=0, le=366 * 24 * 3600, allow_inf_nan=False)]
Glob: TypeAlias = Annotated[str, Field(min_length=1, max_length=253)]
"""A name in which ``*``, ``?`` and ``[...]`` stand for others, as in the shell."""
ErrorCode: TypeAlias = Literal[409, 410, 429, 500, 503, 504]
EventTypeName: TypeAlias = Literal["ADDED", "MODIFIED", "DELETED"]
_BUSY: Final = 429
_WITH_RETRY: Final = frozenset({_BUSY, 503, 504})


class Stage(Enum):
    """Where an effect takes place."""

    REQUEST = auto()
    """Before a request is carried out; once for each."""
    READ = auto()
    """Before a GET or LIST that may be answered from history; once for each."""
    WATCH = auto()
    """While a watch is open; once for each, when it begins or when the rule comes."""
    EVENT = auto()
    """Before an event is sent; once for each event of each watch."""
    BOOKMARK = auto()
    """Before a bookmark is sent; once for each bookmark of each watch."""
    WEBHOOK = auto()
    """Before an admission webhook is called about a request; once for each call."""
    NODE = auto()
    """Whenever a node writes the time. No request is counted."""


class _Effect(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_camel, populate_by_name=True)
    stage: ClassVar[Stage] = Stage.REQUEST


class Delay(_Effect):
    """The request waits before it is carried out.

    It waits by the server's clock, unless the wall's is asked for. Where that clock is stepped and nobody moves it for
    half a minute on the wall, the request is refused with a 504 that says so. A rule that is removed lets go of whom
    it delays.
    """

    type: Literal["delay"] = "delay"
    seconds: Seconds
    clock: Literal["server", "wall"] = "server"


class Error(_Effect):
    """The request is refused, and not carried out, with the Status that the reference has for it."""

    type: Literal["error"] = "error"
    code: ErrorCode
    message: str = Field(default="", max_length=4096, description="What it says instead of the reference's words.")
    retry_after_seconds: Annotated[int, Field(ge=1, le=3600)] | None = Field(
        default=None, description="When to try again: in the details, and as the header Retry-After. 429, 503 and 504."
    )

    as_text: bool = Field(
        default=False,
        description="Whether a 429 is a line of text and no Status, as the reference's flow control answers.",
    )

    @model_validator(mode="after")
    def _may_be_retried(self) -> "Error":
        if self.as_text and self.code != _BUSY:
            raise ValueError(f"asText goes with 429, not with {self.code}")
        if self.retry_after_seconds is not None and self.code not in _WITH_RETRY:
            raise ValueError(f"retryAfterSeconds goes with 429, 503 and 504, not with {self.code}")
        return self


class Drop(_Effect):
    """The connection is closed without an answer: before the request is carried out, or after it was."""

    type: Literal["drop"] = "drop"
    after_write: bool = Field(default=False, description="Whether the request is carried out before.")


class CompactHistory(_Effect):
    """All history is compacted before the request is carried out: who needs any of it gets a 410."""

    type: Literal["compactHistory"] = "compactHistory"


class StaleReads(_Effect):
    """GET and LIST are answered from history, as by a watch cache that lags behind.

    The lag begins when the rule comes: nobody is shown what was before. Without an age and a number of revisions the
    cache stands still from then on. What a client (a user and a user agent) has been shown by requests that the rule
    matches is not taken back, unless asked for. A list with ``resourceVersionMatch=Exact``, or one that is continued,
    is answered as ever; one that wants nothing older than a revision gets nothing older. Computed kinds have no
    history. Where history is forgotten, the oldest that is known is shown.
    """

    stage = Stage.READ
    type: Literal["staleReads"] = "staleReads"
    age_seconds: Seconds | None = Field(default=None, description="How far behind, by the server's clock.")
    revisions: Annotated[int, Field(ge=1)] | None = Field(default=None, description="How many writes behind.")
    only_any: bool = Field(
        default=False,
        description="Whether only reads with resourceVersion=0 are stale, as with a real server; else those without a "
        "resourceVersion are as well, as with a client that reads from a cache of its own.",
    )
    may_go_back: bool = Field(
        default=False, description="Whether a client may be shown what was before what it has seen, or before the rule."
    )

    @model_validator(mode="after")
    def _is_one_of_both(self) -> "StaleReads":
        if self.age_seconds is not None and self.revisions is not None:
            raise ValueError("ageSeconds or revisions, not both")
        return self


class CloseWatch(_Effect):
    """A watch ends: one that begins, or one that is open when the rule comes."""

    stage = Stage.WATCH
    type: Literal["closeWatch"] = "closeWatch"
    how: Literal["cleanly", "expired", "dropped"] = Field(
        default="cleanly",
        description="With the end of the answer, as when its time is up; with an event ERROR that tells of a 410 "
        "(Expired) before; or with the connection, in the middle of the answer.",
    )
    after_events: Annotated[int, Field(ge=0)] = Field(
        default=0, description="So many events are sent before, bookmarks not counted."
    )


class DelayEvents(_Effect):
    """Events come late, and with them all that are behind them in the same watch: their order stays.

    No bookmark is sent meanwhile. A rule that is removed lets go of what it holds back.
    """

    stage = Stage.EVENT
    type: Literal["delayEvents"] = "delayEvents"
    seconds: Seconds | None = Field(
        default=None, description="How late, by the server's clock; until the rule is removed where there is none."
    )
    types: tuple[EventTypeName, ...] = Field(default=(), description="Of which types; of all where there are none.")
    objects: Glob = Field(default="*", description="About objects of this name.")


class WithholdBookmarks(_Effect):
    """Bookmarks are not sent: those that come every minute and before the end; on request that which ends a list."""

    stage = Stage.BOOKMARK
    type: Literal["withholdBookmarks"] = "withholdBookmarks"
    initial: bool = Field(default=False, description="Whether the one behind the initial events is withheld, too.")


class WebhookTimeout(_Effect):
    """An admission webhook does not answer in time; it is not called."""

    stage = Stage.WEBHOOK
    type: Literal["webhookTimeout"] = "webhookTimeout"
    webhook: Glob = Field(default="*", description="The webhook's name in its configuration.")
    waits: bool = Field(
        default=False, description="Whether its time has to pass on the wall; else it is up at once, to the same end."
    )


class ClockDrift(_Effect):
    """What a node writes of the time is wrong: its leases, its conditions, and the times of its pods and events.

    Its timers are right, and what it has written stays.
    """

    stage = Stage.NODE
    type: Literal["clockDrift"] = "clockDrift"
    node: Glob = "*"
    seconds: Annotated[float, Field(ge=-1e9, le=1e9)] = Field(default=0, description="How far it is ahead.")
    rate: Annotated[float, Field(ge=-1, le=1000)] = Field(
        default=0, description="By how many seconds more with each second since the rule came."
    )


Effect: TypeAlias = Annotated[
    Delay
    | Error
    | Drop
    | CompactHistory
    | StaleReads
    | CloseWatch
    | DelayEvents
    | WithholdBookmarks
    | WebhookTimeout
    | ClockDrift,
    Field(discriminator="type"),
]
