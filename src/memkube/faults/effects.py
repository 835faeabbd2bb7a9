"""Effects of faults. Each effect applies at one stage of the handling of a request."""

from enum import Enum, auto
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

Seconds: TypeAlias = Annotated[float, Field(ge=0, le=366 * 24 * 3600, allow_inf_nan=False)]
Glob: TypeAlias = Annotated[str, Field(min_length=1, max_length=253)]
"""A name with the wildcards ``*``, ``?`` and ``[...]``, as in the shell."""
ErrorCode: TypeAlias = Literal[409, 410, 429, 500, 503, 504]
EventTypeName: TypeAlias = Literal["ADDED", "MODIFIED", "DELETED"]
_BUSY: Final = 429
_WITH_RETRY: Final = frozenset({_BUSY, 503, 504})


class Stage(Enum):
    """The point at which an effect applies."""

    REQUEST = auto()
    """Before a request is carried out; once per request."""
    READ = auto()
    """Before a GET or LIST that can be answered from history; once per request."""
    WATCH = auto()
    """While a watch is open; once per watch, when it begins or when the fault is added."""
    EVENT = auto()
    """Before an event is sent; once per event of each watch."""
    BOOKMARK = auto()
    """Before a bookmark is sent; once per bookmark of each watch."""
    WEBHOOK = auto()
    """Before an admission webhook is called; once per call."""
    NODE = auto()
    """Whenever a node writes a timestamp. No request is counted."""


class _Effect(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_camel, populate_by_name=True)
    stage: ClassVar[Stage] = Stage.REQUEST


class Delay(_Effect):
    """Delays the request before it is carried out.

    `clock` says whose seconds are meant: the server's, or real time (``wall``). If the server's clock is stepped and is
    not advanced for half a minute of real time, the request is answered with 504. Removing the fault releases the
    requests that it delays.
    """

    type: Literal["delay"] = "delay"
    seconds: Seconds
    clock: Literal["server", "wall"] = "server"


class Error(_Effect):
    """Answers the request with an error Status, as Kubernetes words it, without carrying it out."""

    type: Literal["error"] = "error"
    code: ErrorCode
    message: str = Field(default="", max_length=4096, description="Message instead of that of Kubernetes.")
    retry_after_seconds: Annotated[int, Field(ge=1, le=3600)] | None = Field(
        default=None,
        description="Seconds until a retry, in the details and the header Retry-After; for 429, 503 and 504.",
    )

    as_text: bool = Field(
        default=False,
        description="True to answer a 429 as a line of text instead of a Status, as flow control does.",
    )

    @model_validator(mode="after")
    def _may_be_retried(self) -> "Error":
        if self.as_text and self.code != _BUSY:
            raise ValueError(f"asText goes with 429, not with {self.code}")
        if self.retry_after_seconds is not None and self.code not in _WITH_RETRY:
            raise ValueError(f"retryAfterSeconds goes with 429, 503 and 504, not with {self.code}")
        return self


class Drop(_Effect):
    """Closes the connection without a response, before or after the request is carried out."""

    type: Literal["drop"] = "drop"
    after_write: bool = Field(default=False, description="True to carry out the request first.")


class CompactHistory(_Effect):
    """Compacts all history before the request is carried out, so that older watches and lists get 410."""

    type: Literal["compactHistory"] = "compactHistory"


class StaleReads(_Effect):
    """Answers GET and LIST from history, as a watch cache that lags behind does.

    No state from before the fault was added is shown. Without an age or a number of revisions, the state at that time
    is shown. A client (a user and a user agent) does not see an older state than matching requests have shown it
    before, unless `may_go_back`. Lists with ``resourceVersionMatch=Exact`` and continued lists are not affected; lists
    with a minimum resourceVersion get no older state. Computed kinds have no history. If the wanted history has been
    compacted, the oldest known state is shown.
    """

    stage = Stage.READ
    type: Literal["staleReads"] = "staleReads"
    age_seconds: Seconds | None = Field(default=None, description="Age of the state, by the server's clock.")
    revisions: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="Number of writes that the state is behind."
    )
    only_any: bool = Field(
        default=False,
        description="True to affect only reads with resourceVersion=0, as on a real server. Otherwise reads without a "
        "resourceVersion are affected as well, as for a client that reads from its own cache.",
    )
    may_go_back: bool = Field(
        default=False,
        description="True if a client may see an older state than before, or one from before the fault was added.",
    )

    @model_validator(mode="after")
    def _is_one_of_both(self) -> "StaleReads":
        if self.age_seconds is not None and self.revisions is not None:
            raise ValueError("ageSeconds or revisions, not both")
        return self


class CloseWatch(_Effect):
    """Ends a watch: one that begins, or one that is open when the fault is added."""

    stage = Stage.WATCH
    type: Literal["closeWatch"] = "closeWatch"
    how: Literal["cleanly", "expired", "dropped"] = Field(
        default="cleanly",
        description="cleanly: by the end of the response, as after its timeout; expired: with an ERROR event of 410 "
        "(Expired) first; dropped: by closing the connection in the middle of the response.",
    )
    after_events: Annotated[int, Field(ge=0)] = Field(
        default=0, description="Number of events to send first, without bookmarks."
    )


class DelayEvents(_Effect):
    """Delays events and, to keep their order, all later events of the same watch.

    No bookmark is sent meanwhile. Removing the fault releases the events.
    """

    stage = Stage.EVENT
    type: Literal["delayEvents"] = "delayEvents"
    seconds: Seconds | None = Field(
        default=None, description="Delay by the server's clock; until the fault is removed if not set."
    )
    types: tuple[EventTypeName, ...] = Field(default=(), description="Types of the events; all if empty.")
    objects: Glob = Field(default="*", description="Name of the objects.")


class WithholdBookmarks(_Effect):
    """Sends no bookmarks, neither periodic ones nor the one before the end of the watch."""

    stage = Stage.BOOKMARK
    type: Literal["withholdBookmarks"] = "withholdBookmarks"
    initial: bool = Field(default=False, description="True to withhold the bookmark after the initial events as well.")


class WebhookTimeout(_Effect):
    """Lets the call of an admission webhook time out, without calling it."""

    stage = Stage.WEBHOOK
    type: Literal["webhookTimeout"] = "webhookTimeout"
    webhook: Glob = Field(default="*", description="Name of the webhook in its configuration.")
    waits: bool = Field(
        default=False, description="True to wait for the timeout in real time; otherwise the call fails at once."
    )


class ClockDrift(_Effect):
    """Shifts the timestamps that a node writes: in its leases, its conditions, its pods and its events.

    Its timers are not affected, and neither are timestamps written before.
    """

    stage = Stage.NODE
    type: Literal["clockDrift"] = "clockDrift"
    node: Glob = "*"
    seconds: Annotated[float, Field(ge=-1e9, le=1e9)] = Field(default=0, description="Seconds that the clock is ahead.")
    rate: Annotated[float, Field(ge=-1, le=1000)] = Field(
        default=0, description="Seconds that it gains per second since the fault was added."
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
