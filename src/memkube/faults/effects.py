"""The effects of faults on requests, watches and nodes, such as delays and errors, and the stage of each effect."""

from typing import Annotated, ClassVar, Final, Literal, TypeAlias

from pydantic import ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from memkube.apimachinery.strict_model import StrictModel
from memkube.faults.attributes import Stage

Seconds: TypeAlias = Annotated[float, Field(ge=0, le=366 * 24 * 3600, allow_inf_nan=False)]
Glob: TypeAlias = Annotated[str, Field(min_length=1, max_length=253)]
"""A name that may contain the wildcards ``*``, ``?`` and ``[...]``, as in a shell."""
ErrorCode: TypeAlias = Literal[409, 410, 429, 500, 503, 504]
EventTypeName: TypeAlias = Literal["ADDED", "MODIFIED", "DELETED"]
_BUSY: Final = 429
_WITH_RETRY: Final = frozenset({_BUSY, 503, 504})


class _Effect(StrictModel):
    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True)
    stage: ClassVar[Stage] = Stage.REQUEST


class Delay(_Effect):
    """Delays the request before it is handled.

    `clock` selects the clock of the delay: the server's, or real time (``wall``). A stepped clock of the server moves
    only when a client advances it. If it is not advanced far enough within half a minute of real time, the request is
    answered with 504. When the fault is removed, delayed requests continue at once.
    """

    type: Literal["delay"] = "delay"
    seconds: Seconds
    clock: Literal["server", "wall"] = "server"


class Error(_Effect):
    """Answers the request with an error Status, worded as in Kubernetes, without handling it."""

    type: Literal["error"] = "error"
    code: ErrorCode
    message: str = Field(
        default="", max_length=4096, description="Message of the Status; if empty, the one that Kubernetes uses."
    )
    retry_after_seconds: Annotated[int, Field(ge=1, le=3600)] | None = Field(
        default=None,
        description="Seconds after which the client should retry, as in the details of the Status and the "
        "header Retry-After; only for the codes 429, 503 and 504.",
    )

    as_text: bool = Field(
        default=False,
        description="True to answer a 429 as a line of text instead of a Status, as flow control does.",
    )

    @model_validator(mode="after")
    def _may_be_retried(self) -> "Error":
        if self.as_text and self.code != _BUSY:
            raise ValueError(f"asText requires code 429, not {self.code}")
        if self.retry_after_seconds is not None and self.code not in _WITH_RETRY:
            raise ValueError(f"retryAfterSeconds requires code 429, 503 or 504, not {self.code}")
        return self


class Drop(_Effect):
    """Closes the connection without a response, before or after the request is handled."""

    type: Literal["drop"] = "drop"
    after_write: bool = Field(default=False, description="True to handle the request before closing the connection.")


class CompactHistory(_Effect):
    """Compacts all history before the request is handled, so that watches and lists of older revisions get 410."""

    type: Literal["compactHistory"] = "compactHistory"


class StaleReads(_Effect):
    """Answers GET and LIST from an older revision, like a watch cache that lags behind.

    `age_seconds`, `revisions` or `revision` selects the older revision. If none of them is set, reads are answered from
    the revision at which the fault was added. Unless `may_go_back` is true, a read is never answered from a revision
    before the fault was added, nor from one that is older than the client (user and user agent) has seen in an earlier
    matching request. A request's minimum resourceVersion is respected. If the revision has been compacted, the oldest
    available one is used.

    Lists with ``resourceVersionMatch=Exact``, continued lists, and kinds whose objects are computed on every read are
    not affected.
    """

    stage = Stage.READ
    type: Literal["staleReads"] = "staleReads"
    age_seconds: Seconds | None = Field(
        default=None, description="Age of the returned state, in seconds of the server's clock."
    )
    revisions: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="Number of writes by which the returned state is older than the newest one."
    )
    revision: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="Revision of the returned state; a list then has it as its resourceVersion."
    )
    only_any: bool = Field(
        default=False,
        description="True to affect only reads with a resourceVersion, such as 0, as if the watch cache of the "
        "server were outdated. False to affect also reads without one, as if the client had an outdated cache "
        "of its own.",
    )
    may_go_back: bool = Field(
        default=False,
        description="True to allow states from before the fault was added, and states older than one that the "
        "client has already seen.",
    )

    @model_validator(mode="after")
    def _has_one_choice(self) -> "StaleReads":
        if sum(choice is not None for choice in (self.age_seconds, self.revisions, self.revision)) > 1:
            raise ValueError("give only one of ageSeconds, revisions and revision")
        return self


class CloseWatch(_Effect):
    """Ends a watch.

    A watch that is open when the fault is added ends at once. A watch that begins after that ends after
    `after_events` events.
    """

    stage = Stage.WATCH
    type: Literal["closeWatch"] = "closeWatch"
    how: Literal["cleanly", "expired", "dropped"] = Field(
        default="cleanly",
        description="cleanly: by the end of the response, as after its timeout; expired: with an ERROR event of 410 "
        "(Expired) first; dropped: by closing the connection in the middle of the response.",
    )
    after_events: Annotated[int, Field(ge=0)] = Field(
        default=0, description="Number of events to send before the end of the watch; bookmarks do not count."
    )


class DelayEvents(_Effect):
    """Delays the selected events, and all later events of the same watch to keep their order.

    Bookmarks are not sent during the delay. When the fault is removed, the events are sent.
    """

    stage = Stage.EVENT
    type: Literal["delayEvents"] = "delayEvents"
    seconds: Seconds | None = Field(
        default=None,
        description="Delay in seconds of the server's clock; if not set, events are delayed until the fault is "
        "removed.",
    )
    types: tuple[EventTypeName, ...] = Field(
        default=(), description="Types of the events to delay, such as ADDED; all if empty."
    )
    objects: Glob = Field(
        default="*", description="Name of the objects whose events are delayed; may contain wildcards."
    )


class WithholdBookmarks(_Effect):
    """Suppresses bookmarks, including those at the end of a watch."""

    stage = Stage.BOOKMARK
    type: Literal["withholdBookmarks"] = "withholdBookmarks"
    initial: bool = Field(default=False, description="True to withhold the bookmark after the initial events as well.")


class WebhookTimeout(_Effect):
    """Makes the call of an admission webhook time out, without calling the webhook."""

    stage = Stage.WEBHOOK
    type: Literal["webhookTimeout"] = "webhookTimeout"
    webhook: Glob = Field(default="*", description="Name of the webhook in its configuration; may contain wildcards.")
    waits: bool = Field(
        default=False, description="True to wait for the timeout in real time; otherwise the call fails at once."
    )


class ClockDrift(_Effect):
    """Shifts the timestamps that a node writes in its leases, conditions, pods and events.

    The node's timers and the timestamps that it has already written do not change.
    """

    stage = Stage.NODE
    type: Literal["clockDrift"] = "clockDrift"
    node: Glob = "*"
    seconds: Annotated[float, Field(ge=-1e9, le=1e9)] = Field(
        default=0, description="Seconds by which the node's clock is ahead of the server's; negative if it is behind."
    )
    rate: Annotated[float, Field(ge=-1, le=1000)] = Field(
        default=0,
        description="Seconds that the node's clock gains each second, from the time at which the fault is added.",
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
