"""Effects as tests write them. Each raises ValueError for what makes no sense."""

from collections.abc import Sequence

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


def delay(seconds: float, *, wall: bool = False) -> Delay:
    """The request waits so long before it is carried out, by the server's clock or by the wall's."""
    return Delay(seconds=seconds, clock="wall" if wall else "server")


def error(code: ErrorCode, message: str = "", *, retry_after: int | None = None, as_text: bool = False) -> Error:
    """The request is refused with the reference's Status for this code.

    409 is a conflict of optimistic locking, or AlreadyExists to a creation; 410 Expired, 429 TooManyRequests, 500
    InternalError, 503 ServiceUnavailable, 504 Timeout. `retry_after` are seconds; a 429 asks for one without it.
    With `as_text` a 429 is no Status but a line of text, as a server answers that has too much to do.
    """
    return Error(code=code, message=message, retry_after_seconds=retry_after, as_text=as_text)


def drop(*, after_write: bool = False) -> Drop:
    """The connection is closed without an answer, before or after the request is carried out."""
    return Drop(after_write=after_write)


def compact_history() -> CompactHistory:
    """All history is forgotten just before the request is carried out."""
    return CompactHistory()


def stale_reads(
    age: float | None = None, *, revisions: int | None = None, only_any: bool = False, may_go_back: bool = False
) -> StaleReads:
    """GET and LIST show what was `age` seconds, or so many `revisions`, ago; without both, when the rule came.

    With `only_any`, those with ``resourceVersion=0`` alone.
    """
    return StaleReads(age_seconds=age, revisions=revisions, only_any=only_any, may_go_back=may_go_back)


def close_watch(*, expired: bool = False, dropped: bool = False, after_events: int = 0) -> CloseWatch:
    """The watch ends, cleanly unless it is `expired` (an event ERROR with 410) or its connection is `dropped`."""
    if expired and dropped:
        raise ValueError("expired or dropped, not both")
    how = "expired" if expired else "dropped" if dropped else "cleanly"
    return CloseWatch.model_validate({"how": how, "afterEvents": after_events})


def delay_events(
    seconds: float, *, types: EventTypeName | Sequence[EventTypeName] = (), objects: str = "*"
) -> DelayEvents:
    """Events come so late, by the server's clock, and with them all behind them."""
    return DelayEvents(seconds=seconds, types=_types(types), objects=objects)


def hold_events(*, types: EventTypeName | Sequence[EventTypeName] = (), objects: str = "*") -> DelayEvents:
    """Events, and all behind them, are held back until the rule is removed."""
    return DelayEvents(types=_types(types), objects=objects)


def withhold_bookmarks(*, initial: bool = False) -> WithholdBookmarks:
    """Bookmarks are not sent; with `initial` not even that which ends the initial events."""
    return WithholdBookmarks(initial=initial)


def webhook_timeout(webhook: str = "*", *, waits: bool = False) -> WebhookTimeout:
    """Webhooks of this name do not answer in time; with `waits` only after that time on the wall."""
    return WebhookTimeout(webhook=webhook, waits=waits)


def clock_drift(seconds: float = 0, *, node: str = "*", rate: float = 0) -> ClockDrift:
    """A node's clock is so far ahead, and gains `rate` seconds in each second."""
    return ClockDrift(seconds=seconds, node=node, rate=rate)


def _types(types: EventTypeName | Sequence[EventTypeName]) -> tuple[EventTypeName, ...]:
    # A name is a sequence of letters, too.
    return (types,) if isinstance(types, str) else tuple(types)
