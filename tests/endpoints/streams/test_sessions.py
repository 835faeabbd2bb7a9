import asyncio
import time
from collections.abc import AsyncIterator, Sequence

import pytest

from memkube.endpoints.streams.sessions import ClientLeft, Inbox, terminal_sizes, while_connected

pytestmark = pytest.mark.anyio


async def test_pieces_come_in_order_up_to_the_end() -> None:
    inbox = Inbox()
    for piece in (b"a", b"", b"b"):
        await inbox.put(piece)
    await inbox.end()
    await inbox.put(b"too late")
    assert [piece async for piece in inbox.pieces()] == [b"a", b"b"]
    assert await inbox.read() == b""


async def test_who_sends_too_much_waits_for_the_reader() -> None:
    inbox = Inbox()
    await inbox.put(b"x" * 2_000_000)
    waiting = asyncio.create_task(inbox.put(b"y"))
    await asyncio.sleep(0)
    assert not waiting.done()
    await inbox.read()
    await waiting
    assert await inbox.read() == b"y"


async def test_the_end_frees_whoever_waits() -> None:
    inbox = Inbox()
    await inbox.put(b"x" * 2_000_000)
    waiting = asyncio.create_task(inbox.put(b"y"))
    await asyncio.sleep(0)
    await inbox.end()
    await waiting


async def _pieces(texts: Sequence[str]) -> AsyncIterator[bytes]:
    for text in texts:
        yield text.encode()


@pytest.mark.parametrize(
    ("pieces", "sizes"),
    [
        (['{"Width":80,"Height":24}\n', '{"Width":1,"Height":2}'], [(80, 24), (1, 2)]),
        (['{"Width":80,"Hei', 'ght":24}{"Width":1,"Height":2}\n'], [(80, 24), (1, 2)]),
        (['{"width":80}'], [(80, 0)]),
        (['{"Width":1}', "[]", '{"Width":2}'], [(1, 0)]),
        (['{"Width":65536}', '{"Width":2}'], []),
        (['{"Width":-1}'], []),
        (["x" * 5000, '{"Width":2}'], []),
    ],
)
async def test_sizes_are_read_up_to_the_first_thing_that_is_none(
    pieces: Sequence[str], sizes: Sequence[tuple[int, int]]
) -> None:
    assert [size async for size in terminal_sizes(_pieces(pieces))] == sizes


async def test_the_last_input_is_read_although_the_server_is_busy() -> None:
    steps: list[int] = []

    async def read() -> None:
        for step in range(10):
            time.sleep(0.02)  # noqa: ASYNC251  keeps the event loop busy
            steps.append(step)
            await asyncio.sleep(0)

    with pytest.raises(ClientLeft):
        await while_connected(asyncio.sleep(0), read(), last_seconds=0.05)
    assert steps == list(range(10))
