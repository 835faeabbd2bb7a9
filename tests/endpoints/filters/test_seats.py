"""Limits on concurrent requests, and the order in which clients get seats."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import pytest

from memkube.endpoints.filters.limits import RequestLimits
from memkube.endpoints.filters.seats import Seats, TooManyRequests
from memkube.endpoints.flow_control.classification import FlowClass, PriorityLevel
from memkube.endpoints.requests.api_request import ApiRequest
from memkube.endpoints.routers import application
from memkube.http.options import ConnectionLimits
from memkube.registry.declarations.request_options import User
from memkube.server.server import Server
from memkube.server.settings import Settings
from tests.endpoints.routers.test_metrics import samples

MAPS = "/api/v1/namespaces/default/configmaps"
WATCH = {"watch": "1", "allowWatchBookmarks": "true"}


@contextmanager
def connected(server: Server, agent: str = "greedy") -> Iterator[httpx.Client]:
    limits = httpx.Limits(max_connections=None)
    headers = {"user-agent": agent}
    with httpx.Client(base_url=server.url, trust_env=False, limits=limits, headers=headers) as client:
        yield client


@contextmanager
def started(*, patience: float = 0.2, **limits: int) -> Iterator[Server]:
    """Run a server whose requests wait `patience` seconds for a seat, and may take much longer themselves."""
    connections = ConnectionLimits(request_seconds=60)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(application, "_WAITING_SHARE", patience / connections.request_seconds)
        server = Server(Settings(controllers=(), in_flight=RequestLimits(**limits), connections=connections))
        with server.in_thread():
            yield server


class Slow:
    """Requests in progress, which end when `end` sends the rest of their bodies."""

    def __init__(self, server: Server, count: int, agent: str = "greedy") -> None:
        self._go = threading.Event()
        self._pool = ThreadPoolExecutor(count)
        self._client = connected(server, agent)
        client = self._client.__enter__()
        begun = threading.Barrier(count + 1)

        def body() -> Iterator[bytes]:
            begun.wait(60)
            yield b'{"metadata": '
            self._go.wait(60)
            yield b'{"generateName": "x-"}}'

        headers = {"content-type": "application/json"}
        self._answers = [self._pool.submit(client.post, MAPS, content=body(), headers=headers) for _ in range(count)]
        begun.wait(60)

    def end(self) -> list[int]:
        """Send the rest of the bodies, and return the status codes."""
        self._go.set()
        codes = [answer.result(60).status_code for answer in self._answers]
        self._client.__exit__(None, None, None)
        self._pool.shutdown()
        return codes


def until_taken(server: Server, kind: str, count: int) -> None:
    """Wait until this number of requests of a kind is in progress."""
    with connected(server, "watcher") as client:
        while samples(client, "apiserver_current_inflight_requests", request_kind=kind) != [count]:
            pass


def create(client: httpx.Client) -> httpx.Response:
    return client.post(MAPS, json={"metadata": {"generateName": "y-"}})


def test_one_write_too_many_is_turned_away_in_the_words_of_the_reference() -> None:
    with started(writes=1) as server, connected(server, "other") as client:
        slow = Slow(server, 1)
        until_taken(server, "mutating", 1)
        refused = create(client)
        assert refused.status_code == 429
        assert refused.text == "Too many requests, please try again later.\n"
        assert refused.headers["retry-after"] == "1"
        assert refused.headers["content-type"] == "text/plain; charset=utf-8"
        assert refused.headers["x-content-type-options"] == "nosniff"
        assert slow.end() == [201]
        assert create(client).status_code == 201


def test_those_who_are_turned_away_are_counted() -> None:
    with started(writes=1) as server, connected(server, "other") as client:
        slow = Slow(server, 1)
        until_taken(server, "mutating", 1)
        create(client)
        labels = {"verb": "POST", "resource": "configmaps", "scope": "resource", "code": "429"}
        assert samples(client, "apiserver_request_total", **labels) == [1]
        assert samples(client, "apiserver_request_terminations_total", **labels) == [1]
        slow.end()


def test_who_waits_is_served_when_a_seat_is_free() -> None:
    with started(patience=60, writes=1) as server, connected(server, "other") as client, ThreadPoolExecutor(1) as pool:
        slow = Slow(server, 1)
        until_taken(server, "mutating", 1)
        waiting = pool.submit(create, client)
        while samples(client, "apiserver_current_inqueue_requests", request_kind="mutating") != [1]:
            assert not waiting.done()
        assert slow.end() == [201]
        assert waiting.result().status_code == 201


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/healthz", "/livez/ping"])
def test_health_is_never_turned_away(path: str) -> None:
    with started(reads=1, writes=1) as server, connected(server) as client, unread(server):
        assert client.get(path).status_code == 200
        assert client.get("/version").status_code == 429


def test_those_who_may_do_everything_are_never_turned_away() -> None:
    with started(reads=1) as server, connected(server) as client, unread(server):
        acting = {"impersonate-user": "admin", "impersonate-group": "system:masters"}
        assert client.get("/api/v1/nodes", headers=acting).status_code == 200
        assert client.get("/api/v1/nodes").status_code == 429


@contextmanager
def unread(server: Server) -> Iterator[None]:
    """Send a list request whose response is not read, so that it keeps its seat until the connection closes."""
    with connected(server) as client:
        for number in range(8):
            document = {"metadata": {"name": f"long-{number}"}, "data": {"text": "x" * 1_000_000}}
            client.post(MAPS, json=document).raise_for_status()
    with socket.socket() as reader:
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        reader.connect((server.host, server.port))
        reader.sendall(f"GET {MAPS} HTTP/1.1\r\nhost: x\r\n\r\n".encode())
        reader.recv(1)
        yield


def test_a_read_keeps_its_seat_until_it_is_sent_or_its_client_leaves() -> None:
    with started(reads=1) as server, connected(server, "other") as client:
        with unread(server):
            assert client.get(MAPS).status_code == 429
        assert client.get("/api/v1/nodes").status_code == 200


def test_one_watch_too_many_is_turned_away() -> None:
    with started(watches=1) as server, connected(server) as client:
        with client.stream("GET", MAPS, params=WATCH) as first:
            assert first.status_code == 200
            labels = {"verb": "WATCH", "resource": "configmaps", "scope": "namespace"}
            assert samples(client, "apiserver_longrunning_requests", **labels) == [1]
            refused = client.get(MAPS, params=WATCH)
            assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
        while samples(client, "apiserver_longrunning_requests", **labels):
            pass
        with client.stream("GET", MAPS, params=WATCH) as second:
            assert second.status_code == 200


def test_one_stream_too_many_is_turned_away() -> None:
    settings = Settings(in_flight=RequestLimits(streams=1))
    with Server(settings).in_thread() as server, connected(server) as client:
        pods = "/api/v1/namespaces/default/pods"
        containers = [{"name": "main", "image": "nginx"}]
        client.post(pods, json={"metadata": {"name": "web"}, "spec": {"containers": containers}}).raise_for_status()
        while client.get(f"{pods}/web").json()["status"]["phase"] != "Running":
            pass
        with client.stream("GET", f"{pods}/web/log", params={"follow": "true"}) as log:
            assert log.status_code == 200
            assert client.get(f"{pods}/web/log").status_code == 429
            assert client.get(f"{pods}/web").status_code == 200


def asking(user: str = "", address: str = "10.0.0.1", agent: bytes = b"") -> ApiRequest:
    """Return a request of a client."""
    scope = {"path": "/", "query_string": b"", "headers": [(b"user-agent", agent)], "client": (address, 1)}
    request = ApiRequest(scope | ({"user": User(user)} if user else {}), nothing)
    request.arrived = 0.0
    return request


async def nothing() -> dict[str, object]:
    return {}


async def seated(seats: Seats, request: ApiRequest) -> ApiRequest:
    if not seats.take(request):
        await seats.wait(request)
    return request


@pytest.mark.anyio
async def test_one_client_gets_no_more_than_four_fifths_of_the_seats() -> None:
    seats = Seats(10, max_wait=60)
    greedy = [asyncio.ensure_future(seated(seats, asking("greedy"))) for _ in range(100)]
    await asyncio.sleep(0)
    assert (len(seats.holders), seats.waiting) == (8, 92)
    await asyncio.wait_for(seated(seats, asking("modest")), 60)
    assert len(seats.holders) == 9
    for task in greedy:
        task.cancel()


def level(name: str, shares: int, *, exempt: bool = False, lendable: int = 0, queue: int = 300) -> PriorityLevel:
    return PriorityLevel(name, name, exempt, shares, lendable, None, queue)


def of_level(one: PriorityLevel, user: str = "a") -> ApiRequest:
    """Return a request that a FlowSchema with this priority level matches."""
    request = asking(user)
    request.scope["flow_class"] = FlowClass(one.name, one, "ByUser", ())
    return request


@pytest.mark.anyio
async def test_a_level_keeps_its_guaranteed_seats() -> None:
    busy, calm = level("busy", 30), level("calm", 10)
    levels = {one.name: one for one in (busy, calm)}
    seats = Seats(100, max_wait=60, levels=lambda: levels)
    crowd = [asyncio.ensure_future(seated(seats, of_level(busy, f"user-{number}"))) for number in range(100)]
    await asyncio.sleep(0)
    assert (len(seats.holders), seats.waiting) == (75, 25)
    for number in range(25):
        await asyncio.wait_for(seated(seats, of_level(calm, f"user-{number}")), 60)
    for task in crowd:
        task.cancel()


@pytest.mark.anyio
async def test_a_level_borrows_what_another_lends() -> None:
    busy, calm = level("busy", 30), level("calm", 10, lendable=100)
    levels = {one.name: one for one in (busy, calm)}
    seats = Seats(100, max_wait=60, levels=lambda: levels)
    crowd = [asyncio.ensure_future(seated(seats, of_level(busy, f"user-{number}"))) for number in range(100)]
    await asyncio.sleep(0)
    assert len(seats.holders) == 100
    for task in crowd:
        task.cancel()


@pytest.mark.anyio
async def test_an_exempt_request_never_waits() -> None:
    exempt, other = level("exempt", 0, exempt=True), level("other", 10)
    levels = {one.name: one for one in (exempt, other)}
    seats = Seats(1, levels=lambda: levels)
    await seated(seats, of_level(other))
    await seated(seats, of_level(exempt))
    assert len(seats.holders) == 2


@pytest.mark.anyio
async def test_a_level_without_queues_refuses_at_once() -> None:
    strict = level("strict", 10, queue=0)
    levels = {"strict": strict}
    seats = Seats(1, max_wait=60, levels=lambda: levels)
    await seated(seats, of_level(strict))
    with pytest.raises(TooManyRequests):
        await seated(seats, of_level(strict))
    assert seats.refused["strict"] == 1


@pytest.mark.anyio
async def test_clients_take_turns_whatever_they_have_waiting() -> None:
    seats, order = Seats(1, max_wait=60), []
    first = await seated(seats, asking("first"))

    async def ask(user: str) -> None:
        request = await seated(seats, asking(user))
        order.append(user)
        seats.leave(request)

    tasks = [asyncio.ensure_future(ask(user)) for user in ["greedy"] * 20 + ["modest"] * 2]
    await asyncio.sleep(0)
    seats.leave(first)
    await asyncio.gather(*tasks)
    assert order[:5] == ["greedy", "modest", "greedy", "modest", "greedy"]


@pytest.mark.anyio
async def test_one_client_has_only_so_many_waiting() -> None:
    seats = Seats(1, max_wait=60)
    await seated(seats, asking("greedy"))
    waiting = [asyncio.ensure_future(seated(seats, asking("greedy"))) for _ in range(301)]
    done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    assert [type(task.exception()) for task in done] == [TooManyRequests]
    assert seats.waiting == 300
    for task in waiting:
        task.cancel()


@pytest.mark.anyio
async def test_who_gives_up_waiting_keeps_no_seat() -> None:
    seats = Seats(1, max_wait=60)
    first = await seated(seats, asking())
    impatient, patient = (asyncio.ensure_future(seated(seats, asking(user))) for user in ("a", "b"))
    await asyncio.sleep(0)
    impatient.cancel()
    seats.leave(first)
    await patient
    assert (len(seats.holders), seats.waiting) == (1, 0)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (asking(address="10.0.0.1"), asking(address="10.0.0.2"), False),
        (asking(agent=b"a/1"), asking(agent=b"b/1"), False),
        (asking("jane", address="10.0.0.1"), asking("jane", address="10.0.0.2"), True),
        (asking("jane"), asking("joe"), False),
        (asking(agent=b"a/1"), asking(agent=b"a/1"), True),
    ],
)
def test_clients_are_told_apart(one: ApiRequest, other: ApiRequest, *, same: bool) -> None:
    assert (one.flow == other.flow) is same
