"""What a client has sent on one stream and nobody has read yet."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator

_LARGEST = 1024 * 1024


class Inbox:
    """Bytes in pieces, up to their end."""

    def __init__(self) -> None:
        self._pieces: deque[bytes] = deque()
        self._size = 0
        self._ended = False
        self._changed = asyncio.Condition()

    async def put(self, data: bytes) -> None:
        """Adds bytes; waits while there are too many already. What comes behind the end is dropped."""
        if not data:
            return
        async with self._changed:
            await self._changed.wait_for(lambda: self._ended or self._size < _LARGEST)
            if not self._ended:
                self._pieces.append(data)
                self._size += len(data)
                self._changed.notify_all()

    async def end(self) -> None:
        """Nothing follows."""
        async with self._changed:
            self._ended = True
            self._changed.notify_all()

    async def read(self) -> bytes:
        """The next bytes; empty at the end."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._ended or self._pieces)
            if not self._pieces:
                return b""
            piece = self._pieces.popleft()
            self._size -= len(piece)
            self._changed.notify_all()
            return piece

    async def pieces(self) -> AsyncIterator[bytes]:
        """Everything up to the end."""
        while piece := await self.read():
            yield piece
