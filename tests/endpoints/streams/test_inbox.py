import asyncio

import pytest

from memkube.endpoints.streams.inbox import Inbox

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
