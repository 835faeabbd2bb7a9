"""Log lines about slow requests, with the time that each step took (Kubernetes' ``utiltrace``)."""

import logging
from collections.abc import Iterator
from typing import Any, Final

from memkube.endpoints.requests.api_request import ApiRequest

FIELDS: Final = "fields"
"""Attribute of a log record for structured data: ``logger.info("…", extra={FIELDS: {"verb": "get"}})``."""
LOGGER: Final = logging.getLogger("memkube.trace")
_LASTING: Final = frozenset({"WATCH", "CONNECT"})


def trace(request: ApiRequest, code: int, ended: float) -> None:
    """Log a request that took longer than the threshold, unless it is a watch or a stream."""
    labels = None if request.series is None else request.series.labels
    if not LOGGER.isEnabledFor(logging.INFO) or (labels is not None and labels.verb in _LASTING):
        return
    steps = list(_durations(request, ended))
    fields = fields_of(request) | {
        "status": code,
        "seconds": round(ended - request.arrived, 6),
        "steps": {done: round(seconds, 6) for done, seconds in steps},
    }
    told = ", ".join(f"{done} {seconds * 1000:.0f} ms" for done, seconds in steps)
    message = "Trace: %s %s (audit-id %s) by %s took %.0f ms: %s"
    took = (ended - request.arrived) * 1000
    LOGGER.info(
        message,
        request.method,
        request.path,
        fields["audit_id"],
        request.user,
        took,
        told,
        extra={FIELDS: fields},
    )


def fields_of(request: ApiRequest) -> dict[str, Any]:
    """Return the structured data of log records about a request."""
    return {
        "audit_id": request.scope.get("audit_id", b"").decode("latin-1"),
        "method": request.method,
        "path": request.path,
        "query": request.scope["query_string"].decode("latin-1"),
        "user": request.user.name,
        "user_agent": request.user_agent.decode("latin-1"),
    }


def _durations(request: ApiRequest, ended: float) -> Iterator[tuple[str, float]]:
    """Yield the name of each step and the seconds since the step before. The name of a repeated step gets a number."""
    last, times = request.arrived, dict[str, int]()
    steps = () if request.context is None else request.context.steps
    for done, when in (*steps, ("answer sent", ended)):
        times[done] = times.get(done, 0) + 1
        yield (done if times[done] == 1 else f"{done} ({times[done]})"), when - last
        last = when
