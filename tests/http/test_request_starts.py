"""The order in which requests start if many arrive at once: health checks first, then clients in turn."""

import asyncio
import time
from collections.abc import Iterator
from functools import partial
from typing import Self

import httpx
import pytest
from benchmarks.load import Address
from benchmarks.processes import MEMKUBE, serving

from memkube.endpoints.requests.api_request import flow_of, is_health_check
from memkube.http.request_starts import RequestStarts

MAPS = "/api/v1/namespaces/default/configmaps"
AT_ONCE = 200


def scope(agent: str, path: str = "/api/v1/pods", user: str = "") -> dict[str, object]:
    headers = [(b"user-agent", agent.encode())]
    return {
        "path": path,
        "client": ("127.0.0.1", 1),
        "headers": headers + ([(b"impersonate-user", user.encode())] if user else []),
    }


async def rest() -> None:
    """Let the event loop run other tasks."""
    for _ in range(100):
        await asyncio.sleep(0)


def ask(starts: RequestStarts, asked: dict[str, object], order: list[str], name: str) -> None:
    """Start a request as the HTTP protocol does."""
    if starts.left:
        starts.left -= 1
        order.append(name)
    else:
        starts.wait(asked, partial(order.append, name))


@pytest.mark.anyio
async def test_all_are_begun_in_the_end() -> None:
    starts = RequestStarts(flow_of, is_health_check)
    order: list[str] = []
    for number in range(1000):
        ask(starts, scope("greedy"), order, f"{number}")
    assert len(order) < 100
    await rest()
    assert order == [f"{number}" for number in range(1000)]


@pytest.mark.anyio
async def test_health_is_not_kept_waiting() -> None:
    starts = RequestStarts(flow_of, is_health_check)
    order: list[str] = []
    for _ in range(1000):
        ask(starts, scope("greedy"), order, "other")
    ask(starts, scope("greedy", "/livez"), order, "health")
    assert order[-1] == "health"


@pytest.mark.anyio
@pytest.mark.parametrize("modest", [scope("modest"), scope("greedy", user="jane")])
async def test_a_client_with_few_requests_waits_for_few_of_others(modest: dict[str, object]) -> None:
    starts = RequestStarts(flow_of, is_health_check)
    order: list[str] = []
    for _ in range(1000):
        ask(starts, scope("greedy"), order, "greedy")
    begun = len(order)
    for _ in range(5):
        ask(starts, modest, order, "modest")
    await rest()
    assert order[begun : begun + 10].count("modest") == 5


@pytest.mark.anyio
async def test_fewer_are_begun_at_once_where_they_take_long() -> None:
    starts, rounds = RequestStarts(flow_of, is_health_check), 0
    order: list[int] = []

    def work() -> None:
        time.sleep(0.006)
        order.append(rounds)

    starts.left = 0
    for _ in range(60):
        starts.wait(scope("greedy"), work)
    while len(order) < 60:
        rounds += 1
        await asyncio.sleep(0)
    assert order.count(order[-1]) <= 4


@pytest.fixture(scope="module")
def busy() -> Iterator[Address]:
    """A server with so many objects that a list with a field selector takes some time.

    It runs in its own process: in the process of the tests, hundreds of clients would delay it.
    """
    with serving(MEMKUBE) as server:
        url = f"http://{server.address.host}:{server.address.port}"
        with httpx.Client(base_url=url, trust_env=False, timeout=60) as client:
            for number in range(2000):
                document = {"metadata": {"name": f"map-{number}", "labels": {"a": "b"}}, "data": {"text": "x" * 500}}
                client.post(MAPS, json=document).raise_for_status()
        yield server.address


class Connection:
    """An HTTP connection with little overhead, so that the test measures the server."""

    def __init__(self, server: Address, agent: str) -> None:
        self._server = server
        self._agent = agent

    async def __aenter__(self) -> Self:
        self._reader, self._writer = await asyncio.open_connection(self._server.host, self._server.port)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._writer.close()

    async def ask(self, method: str, path: str, body: bytes = b"") -> int:
        """Send a request, read the response, and return the status code."""
        head = f"{method} {path} HTTP/1.1\r\nhost: x\r\nuser-agent: {self._agent}\r\ncontent-length: {len(body)}\r\n"
        self._writer.write(f"{head}content-type: application/json\r\n\r\n".encode() + body)
        answered = (await self._reader.readuntil(b"\r\n\r\n")).decode()
        _, _, behind = answered.partition("content-length: ")
        await self._reader.readexactly(int(behind.split("\r\n")[0]))
        return int(answered.split()[1])


class Burst:
    """Expensive lists and writes, which are sent at once on a connection each."""

    def __init__(self, server: Address) -> None:
        self.server = server
        self.order: list[str] = []
        """Whose lists were answered, one after another."""
        self.first = asyncio.Event()

    async def many(self, opened: asyncio.Barrier) -> None:
        """Send lists and writes once all connections are open."""
        async with Connection(self.server, "greedy") as lister, Connection(self.server, "greedy") as writer:
            await opened.wait()
            await asyncio.gather(self._list(lister), self._create(writer))
        self.order.append("greedy")

    async def list(self, agent: str) -> None:
        async with Connection(self.server, agent) as connection:
            await self._list(connection)
        self.order.append(agent)
        self.first.set()

    async def _list(self, connection: Connection) -> None:
        """Request a list that is empty after the server has evaluated the selector for each object."""
        assert await connection.ask("GET", f"{MAPS}?fieldSelector=metadata.namespace%21%3Ddefault") == 200

    async def _create(self, connection: Connection) -> None:
        assert await connection.ask("POST", MAPS, b'{"metadata": {"generateName": "x-"}}') == 201


@pytest.mark.anyio
@pytest.mark.alone
async def test_health_is_answered_while_hundreds_of_others_are_under_way(busy: Address) -> None:
    burst, opened, waits = Burst(busy), asyncio.Barrier(AT_ONCE + 1), []
    async with Connection(busy, "kubelet") as connection:
        tasks = [asyncio.ensure_future(burst.many(opened)) for _ in range(AT_ONCE)]
        await opened.wait()
        began = asked = time.monotonic()
        while len(burst.order) < AT_ONCE:
            assert await connection.ask("GET", "/livez") == 200
            waits.append(time.monotonic() - asked)
            asked = time.monotonic()
        await asyncio.gather(*tasks)
    took = time.monotonic() - began
    assert max(waits) < took / 2, f"the slowest of {len(waits)} answers took {max(waits):.2f} of {took:.2f} s"


@pytest.mark.anyio
@pytest.mark.alone
async def test_one_client_with_hundreds_of_lists_does_not_keep_another_waiting(busy: Address) -> None:
    burst = Burst(busy)
    tasks = [asyncio.ensure_future(burst.list("greedy")) for _ in range(AT_ONCE)]
    await burst.first.wait()
    before = len(burst.order)
    await burst.list("modest")
    behind = len(burst.order) - before
    await asyncio.gather(*tasks)
    assert behind < AT_ONCE / 2
