"""Values for storage tests: a text and the revision of its last change."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from memkube.storage.interface import Event, Watcher


@dataclass(frozen=True)
class Note:
    text: str
    revision: int = 0


class NoteCodec:
    def stamp(self, value: Note, revision: int) -> Note:
        return replace(value, revision=revision)

    def revision(self, value: Note) -> int:
        return value.revision

    def encode(self, value: Note) -> bytes:
        return value.text.encode()

    def decode(self, data: bytes, revision: int) -> Note:
        return Note(data.decode(), revision)

    def size(self, value: Note) -> int:
        return len(value.text)

    def release(self, value: Note) -> None:
        """Do nothing, because a note needs no resources."""


def rewrite(text: str) -> Callable[[Note], Awaitable[Note]]:
    """Return a change for Storage.update that replaces the text of a note."""

    async def change(_: Note) -> Note:
        return Note(text)

    return change


async def asleep(watcher: Watcher[Note], timeout: float = 60) -> asyncio.Task[Sequence[Event[Note]]]:
    """Return a task that waits for the watcher's next batch, with a timeout longer than any test takes."""
    task = asyncio.ensure_future(_next(watcher, timeout))
    await asyncio.sleep(0)
    return task


async def _next(watcher: Watcher[Note], timeout: float) -> Sequence[Event[Note]]:
    return await watcher.next(timeout)
