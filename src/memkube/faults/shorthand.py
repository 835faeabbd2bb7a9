"""Functions that create the effect of a fault, such as a delay or an error, for tests that add faults to a server.

They raise UsageError for invalid arguments.
"""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Final, ParamSpec, TypeVar

from pydantic import ValidationError

from memkube.errors import UsageError
from memkube.faults.effects import (
    ClockDrift,
    CloseWatch,
    CompactHistory,
    Delay,
    DelayEvents,
    Drop,
    Error,
    ErrorCode,
    EventTypeName,
    StaleReads,
    WebhookTimeout,
    WithholdBookmarks,
)
from memkube.faults.usage import usage_error

P = ParamSpec("P")
E = TypeVar("E")
_WORDS: Final = {"retry_after_seconds": "retry_after", "age_seconds": "age", "clock": "wall"}


def _checked(make: Callable[P, E]) -> Callable[P, E]:
    """Wrap a function that makes an effect, to convert pydantic's ValidationError to a UsageError."""

    @wraps(make)
    def checked(*args: P.args, **kwargs: P.kwargs) -> E:
        try:
            return make(*args, **kwargs)
        except ValidationError as error:
            raise usage_error(error, _WORDS) from None

    return checked


@_checked
def delay(seconds: float, *, wall: bool = False) -> Delay:
    """Delay the request, before it is handled, by seconds of the server's clock, or of real time with `wall`."""
    return Delay(seconds=seconds, clock="wall" if wall else "server")


@_checked
def error(code: ErrorCode, message: str = "", *, retry_after: int | None = None, as_text: bool = False) -> Error:
    """Do not handle the request, but answer it with an error Status of this code, worded as in Kubernetes.

    409 is Conflict (AlreadyExists for a create), 410 Expired, 429 TooManyRequests, 500 InternalError, 503
    ServiceUnavailable, 504 Timeout. `message` replaces the Status's default message. `retry_after` is the value of the
    ``Retry-After`` header in seconds; a 429 always has that header. With `as_text`, the body of a 429 is plain text
    instead of a Status, as in API priority and fairness.
    """
    return Error(code=code, message=message, retry_after_seconds=retry_after, as_text=as_text)


@_checked
def drop(*, after_write: bool = False) -> Drop:
    """Close the connection without a response, before or (with `after_write`) after the request is handled."""
    return Drop(after_write=after_write)


@_checked
def compact_history() -> CompactHistory:
    """Compact all history just before the request is handled."""
    return CompactHistory()


@_checked
def stale_reads(
    age: float | None = None,
    *,
    revisions: int | None = None,
    revision: int | None = None,
    only_any: bool = False,
    may_go_back: bool = False,
) -> StaleReads:
    """Answer GET and LIST with the state `age` seconds ago, `revisions` writes ago, or at `revision`.

    Without these, answer with the state at the time when the fault was added. With `only_any`, only reads with a
    resourceVersion, such as 0, are affected. With `may_go_back`, a client may get an older state than it has seen
    before.
    """
    return StaleReads(
        age_seconds=age, revisions=revisions, revision=revision, only_any=only_any, may_go_back=may_go_back
    )


@_checked
def close_watch(*, expired: bool = False, dropped: bool = False, after_events: int = 0) -> CloseWatch:
    """End the watch: cleanly, with a 410 ERROR event if `expired`, or by closing the connection if `dropped`.

    A watch that is open when the fault is added ends at once. A watch that begins later ends after `after_events`
    events.
    """
    if expired and dropped:
        raise UsageError("give either expired or dropped, not both")
    how = "expired" if expired else "dropped" if dropped else "cleanly"
    return CloseWatch.model_validate({"how": how, "afterEvents": after_events})


@_checked
def delay_events(
    seconds: float, *, types: EventTypeName | Sequence[EventTypeName] = (), objects: str = "*"
) -> DelayEvents:
    """Delay events, and all later events of the same watch, by seconds of the server's clock.

    `types` selects events by their type, and `objects` by the name of their object, which may contain wildcards. By
    default, all events are delayed.
    """
    return DelayEvents(seconds=seconds, types=_types(types), objects=objects)


@_checked
def hold_events(*, types: EventTypeName | Sequence[EventTypeName] = (), objects: str = "*") -> DelayEvents:
    """Delay events, and all later events of the same watch, until the fault is removed.

    `types` selects events by their type, and `objects` by the name of their object, which may contain wildcards. By
    default, all events are delayed.
    """
    return DelayEvents(types=_types(types), objects=objects)


@_checked
def withhold_bookmarks(*, initial: bool = False) -> WithholdBookmarks:
    """Suppress bookmarks; with `initial`, also the one at the end of the initial events."""
    return WithholdBookmarks(initial=initial)


@_checked
def webhook_timeout(webhook: str = "*", *, waits: bool = False) -> WebhookTimeout:
    """Make calls of webhooks with this name time out, without calling the webhook.

    A call fails at once; with `waits`, it fails when the webhook's timeout has passed in real time.
    """
    return WebhookTimeout(webhook=webhook, waits=waits)


@_checked
def clock_drift(seconds: float = 0, *, node: str = "*", rate: float = 0) -> ClockDrift:
    """Shift the clock of a node ahead by `seconds`, plus `rate` seconds for each second that passes."""
    return ClockDrift(seconds=seconds, node=node, rate=rate)


def _types(types: EventTypeName | Sequence[EventTypeName]) -> tuple[EventTypeName, ...]:
    # A string would also pass the test for a sequence, so strings are handled first.
    return (types,) if isinstance(types, str) else tuple(types)
