"""What a container wrote, with the time of each line."""

import asyncio
from collections import deque
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import Final, NamedTuple

from memkube.controllers.kubelet.programs.steps import OutputStream

_MOST_BYTES: Final = 10 * 1024 * 1024


class LogLine(NamedTuple):
    """A line with its line break, or without one where the program has not ended it."""

    written: datetime
    stream: OutputStream
    data: bytes


class LogPart(NamedTuple):
    """A line, or what has come to a line since it was read."""

    line: LogLine
    begins: bool


class Position(NamedTuple):
    """A place in a log: the number of a line, and how much of it is behind."""

    line: int = 0
    offset: int = 0


class ContainerLog:
    """The log of one run of a container, rotated as a node would: of more than 10 MiB the oldest lines are lost."""

    def __init__(self) -> None:
        self._lines: deque[LogLine] = deque()
        self._first = 0
        self._bytes = 0
        self._waiting: set[asyncio.Future[None]] = set()
        self.is_closed = False

    def write(self, written: datetime, stream: OutputStream, data: bytes) -> None:
        """Adds output, which may be several lines or a part of one."""
        for line in data.splitlines(keepends=True):
            self._append(LogLine(written, stream, line))
        self._wake()

    def close(self) -> None:
        """Nothing more will be written."""
        self.is_closed = True
        self._wake()

    @property
    def size(self) -> int:
        """The bytes that are kept."""
        return self._bytes

    @property
    def end(self) -> int:
        """The number of the line that comes next."""
        return self._first + len(self._lines)

    @property
    def position(self) -> Position:
        """Where output comes next."""
        last = self._lines[-1] if self._lines else None
        if last is None or last.data.endswith(b"\n"):
            return Position(self.end)
        return Position(self.end - 1, len(last.data))

    def read(self, position: Position, most: int) -> tuple[list[LogPart], Position]:
        """At most so many lines from a position on, and where to go on; of a line that grows comes what is new."""
        number, offset = max(position, Position(self._first))
        parts = []
        for line in islice(self._lines, number - self._first, number - self._first + most):
            if len(line.data) > offset:
                parts.append(LogPart(line._replace(data=line.data[offset:]) if offset else line, begins=not offset))
            number, offset = number + 1, 0
        last = self._lines[-1].data if self._lines else b"\n"
        if parts and number == self.end and not last.endswith(b"\n"):
            return parts, Position(number - 1, len(last))
        return parts, position if not parts else Position(number)

    def lines_from(self, number: int) -> Iterator[LogLine]:
        """The lines from a number on, as far as they are kept."""
        for index in range(max(number - self._first, 0), len(self._lines)):
            yield self._lines[index]

    def changed(self) -> asyncio.Future[None]:
        """Is done once there is more to read than now, or nothing more to come."""
        waiter = asyncio.get_running_loop().create_future()
        self._waiting.add(waiter)
        waiter.add_done_callback(self._waiting.discard)
        return waiter

    def _append(self, line: LogLine) -> None:
        last = self._lines[-1] if self._lines else None
        if last is not None and last.stream == line.stream and not last.data.endswith(b"\n"):
            self._lines[-1] = LogLine(last.written, last.stream, last.data + line.data)
        else:
            self._lines.append(line)
        self._bytes += len(line.data)
        while self._bytes > _MOST_BYTES and len(self._lines) > 1:
            self._bytes -= len(self._lines.popleft().data)
            self._first += 1

    def _wake(self) -> None:
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_result(None)
