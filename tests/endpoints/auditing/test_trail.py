from typing import Any

import pytest

from memkube.apimachinery.model import Document
from memkube.endpoints.auditing.rule import AuditRule, Level
from memkube.endpoints.auditing.trail import AuditTrail
from memkube.endpoints.transport import WHOLE
from memkube.registry.declarations.authorization import Attributes
from memkube.registry.declarations.request_options import User, WriteContext
from memkube.telemetry.measures import Measures
from memkube.time.clock import RealClock

_SCOPE = {"query_string": b"", "audit_id": b"1", "path": "/api/v1/nodes", "headers": [], "client": ("127.0.0.1", 1)}


class _Events(list[Document]):
    """The audit events that were written, in place of a log file."""

    def write(self, event: Document) -> None:
        self.append(event)

    async def close(self) -> None:
        pass


def _trail(level: Level, events: _Events, verb: str = "list") -> AuditTrail:
    attributes = Attributes(User("someone"), verb, version="v1", resource="nodes")
    return AuditTrail(AuditRule(level), [events], RealClock(), Measures(), _SCOPE, attributes)


@pytest.mark.parametrize(("level", "keys"), [(Level.METADATA, ["mutation"]), (Level.REQUEST, ["mutation", "patch"])])
def test_annotations_with_parts_of_the_object_need_the_level_request(level: Level, keys: list[str]) -> None:
    events, context = _Events(), WriteContext()
    trail = _trail(level, events)
    trail.follow(context)
    context.annotate("mutation", "of the webhook")
    context.annotate("patch", "of the object", is_detailed=True)
    trail.end()
    assert list(events[0]["annotations"]) == keys


_START = {"type": "http.response.start", "status": 200, "headers": []}
_PART = {"type": "http.response.body", "body": b"{", "more_body": True}
_END = {"type": "http.response.body", "body": b""}
_REFUSAL = {"type": WHOLE, "status": 403, "headers": [], "pieces": (b"{}",)}
_UPGRADE = [{"type": "websocket.accept"}, {"type": "websocket.send", "bytes": b"x"}]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("messages", "stages"),
    [
        ([_START, _PART], []),
        ([_START, _PART, _END], ["ResponseComplete"]),
        ([_REFUSAL], ["ResponseComplete"]),
        (_UPGRADE, []),
    ],
    ids=["open", "ended", "refused", "upgraded"],
)
async def test_a_watch_is_complete_before_the_end_of_its_response_is_sent(
    messages: list[dict[str, Any]], stages: list[str]
) -> None:
    events, written = _Events(), list[str]()
    trail = _trail(Level.METADATA, events, "watch")

    async def send(_: Any) -> None:
        written[:] = [event["stage"] for event in events]

    for message in messages:
        await trail.sending(send)(message)
    assert written == ["ResponseStarted", *stages]


@pytest.mark.anyio
async def test_the_last_event_is_written_before_the_end_of_the_response_is_sent() -> None:
    events, written = _Events(), list[list[str]]()
    trail = _trail(Level.METADATA, events)

    async def send(_: Any) -> None:
        written.append([event["stage"] for event in events])

    sending = trail.sending(send)
    await sending({"type": "http.response.start", "status": 200, "headers": []})
    await sending({"type": "http.response.body", "body": b"{", "more_body": True})
    await sending({"type": "http.response.body", "body": b"}"})
    trail.end()
    assert written == [[], [], ["ResponseComplete"]]
    assert len(events) == 1
