"""The request log: its order, its limits, and requests in progress."""

from time import monotonic

import pytest

from memkube.endpoints.filters.recording import identify
from memkube.endpoints.requests.api_request import ApiRequest
from memkube.registry.declarations.request_options import NOBODY
from memkube.registry.objects.codec import ObjectCodec
from memkube.storage.memory import MemoryStorage
from memkube.telemetry.request_log import RequestLog, RequestLogOptions
from memkube.time.clock import SteppedClock


def make_log(requests: int = 100, size: int = 1024 * 1024) -> RequestLog:
    return RequestLog(
        RequestLogOptions(requests, size, body_bytes=100), SteppedClock(), MemoryStorage(ObjectCodec()), identify
    )


async def receive() -> dict[str, object]:
    return {}


def begin(log: RequestLog, path: str) -> ApiRequest:
    request = ApiRequest({"path": path, "query_string": b"", "headers": []}, receive)
    request.log, request.arrived = log, monotonic()
    log.under_way.add(request)
    return request


def end(log: RequestLog, request: ApiRequest) -> None:
    log.end_plain(request, request.path, b"", b"", ("GET", NOBODY, request.arrived, 200, "7"))


def paths(log: RequestLog) -> list[str]:
    return [record.path for record in log.records()]


def test_answers_are_kept_in_their_order_and_those_under_way_come_last() -> None:
    log = make_log()
    first, second, third = (begin(log, path) for path in ("/1", "/2", "/3"))
    end(log, third)
    second.record.fault = "slow"
    log.end(second)
    assert paths(log) == ["/3", "/2", "/1"]
    assert [record.number for record in log.records()] == [1, 2, 0]
    assert first.record.in_flight


@pytest.mark.parametrize("most", [1, 5, 16, 100])
def test_no_more_requests_are_kept_than_allowed(most: int) -> None:
    log = make_log(most)
    for number in range(3 * most):
        end(log, begin(log, f"/{number}"))
        assert 0 < len(log.records()) <= most
    assert log.records()[-1].path == f"/{3 * most - 1}"
    assert log.records()[-1].number == 3 * most


def test_large_requests_make_room_for_themselves() -> None:
    log = make_log(1000, 160_000)
    for number in range(100):
        request = begin(log, f"/{number}")
        request.record.keep_body(b"x" * 100, "application/json")
        request.record.warnings = ["w" * 4_900]
        log.end(request)
    assert 20 <= len(log.records()) <= 32


def test_requests_under_way_survive_those_that_came_after_them() -> None:
    log = make_log(5)
    watch = begin(log, "/api/v1/pods")
    for number in range(50):
        end(log, begin(log, f"/{number}"))
    log.clear(lambda record: True)
    assert paths(log) == ["/api/v1/pods"]
    end(log, watch)
    assert [record.number for record in log.records()] == [51]


def test_of_a_long_body_the_beginning_is_kept() -> None:
    request = begin(make_log(), "/api/v1/pods")
    request.record.keep_body(b"x" * 1000, "application/json")
    assert (len(request.record.body), request.record.body_size) == (100, 1000)
