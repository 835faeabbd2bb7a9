"""The log of a container: its output, with the time of each line."""

import asyncio
from collections import deque
from datetime import datetime
from itertools import islice
from typing import Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.controllers.framework.saved_values import data, instant
from memkube.controllers.kubelet.programs.program import OutputStream

_LONGEST_MESSAGE: Final = 2048
_MESSAGE_LINES: Final = 80
LINE_HEAD: Final = 40
"""Bytes before the text of each line in a log file on a node: time, stream and tag (CRI)."""


class LogLine(NamedTuple):
    """A log line.

    The text ends with a line break, unless the line is unfinished or a piece of a line that is too long.
    """

    written: datetime
    stream: OutputStream
    data: bytes
    begins: bool = True
    """False if this is a further piece of the line before it."""


class LogPart(NamedTuple):
    """A log line, or the part of it that was added since the last read."""

    line: LogLine
    begins: bool


class Position(NamedTuple):
    """Position of a reader in a log: the number of a line, and the number of its bytes that were read."""

    line: int = 0
    offset: int = 0


class ContainerLog:
    """The log of one run of a container.

    It contains at most `most_bytes` bytes, counted as in log files on a node. The oldest lines are dropped, as by log
    rotation. As in container runtimes, a line of more than `longest_line` bytes is split into several lines.
    """

    __slots__ = (
        "_bytes",
        "_first",
        "_lines",
        "_longest_line",
        "_most_bytes",
        "_overhead",
        "_waiting",
        "is_closed",
    )

    def __init__(self, most_bytes: int, longest_line: int) -> None:
        self._most_bytes = most_bytes
        self._longest_line = longest_line
        self._lines: deque[LogLine] | tuple[()] = ()
        """An empty tuple until the first line: an empty deque takes 760 bytes, and most containers write nothing."""
        self._first = 0
        self._bytes = 0
        self._overhead = 0
        self._waiting: set[asyncio.Future[None]] | tuple[()] = ()
        self.is_closed = False

    def write(self, written: datetime, stream: OutputStream, data: bytes) -> None:
        """Append output that the container wrote to `stream` at the time `written`: several lines, or a part of one."""
        for line in data.splitlines(keepends=True):
            self._append(written, stream, line)
        self._wake()

    def close(self) -> None:
        """Close the log, to which nothing more will be written."""
        self.is_closed = True
        self._wake()

    @property
    def size(self) -> int:
        """Size of the log in bytes, counted as in the log files on a node."""
        return self._bytes

    @property
    def end(self) -> int:
        """Number of lines that were written, including dropped ones. The next line gets this number."""
        return self._first + len(self._lines)

    @property
    def position(self) -> Position:
        """The end of the log, as a position from which only later output is read."""
        last = self._lines[-1] if self._lines else None
        if last is None or last.data.endswith(b"\n"):
            return Position(self.end)
        return Position(self.end - 1, len(last.data))

    def read(self, position: Position, most: int) -> tuple[list[LogPart], Position]:
        """Return at most `most` lines from a position on, and the position from which the next call must read.

        An unfinished line is returned as far as it was written, and the next call returns what was added to it.
        """
        number, offset = max(position, Position(self._first))
        parts = []
        for line in islice(self._lines, number - self._first, number - self._first + most):
            if len(line.data) > offset:
                parts.append(
                    LogPart(
                        line._replace(data=line.data[offset:]) if offset else line, begins=line.begins and not offset
                    )
                )
            number, offset = number + 1, 0
        last = self._lines[-1].data if self._lines else b"\n"
        if parts and number == self.end and not last.endswith(b"\n"):
            return parts, Position(number - 1, len(last))
        return parts, position if not parts else Position(number)

    def saved(self) -> Document:
        """Return the log as JSON data, for a snapshot."""
        return {"first": self._first, "closed": self.is_closed, "lines": tuple(self._lines)}

    def restore(self, saved: Document) -> None:
        """Restore the log from JSON data. Raises ValueError, TypeError or KeyError for malformed data."""
        self._first, self.is_closed = saved["first"], saved["closed"]
        lines = (LogLine(instant(at), stream, data(text), begins) for at, stream, text, begins in saved["lines"])
        self._lines = deque(lines)
        self._bytes = sum(len(line.data) for line in self._lines)
        self._overhead = LINE_HEAD * len(self._lines)

    def last_words(self) -> str:
        """Return the last lines of the log, for the termination message of a failed container."""
        lines = islice(reversed(self._lines), _MESSAGE_LINES)
        return b"".join(reversed([line.data for line in lines]))[-_LONGEST_MESSAGE:].decode(errors="replace")

    def changed(self) -> asyncio.Future[None]:
        """Return a future that is done when output was added to the log, or the log was closed."""
        waiter = asyncio.get_running_loop().create_future()
        waiting = self._waiting = self._waiting or set()
        waiting.add(waiter)
        waiter.add_done_callback(waiting.discard)
        return waiter

    def _append(self, written: datetime, stream: OutputStream, data: bytes) -> None:
        lines = self._lines = self._lines or deque()
        last = lines[-1] if lines else None
        is_open = last is not None and last.stream == stream and not last.data.endswith(b"\n")
        at = 0
        if last is not None and is_open and len(last.data) < self._longest_line:
            at = self._longest_line - len(last.data)
            lines[-1] = last._replace(data=last.data + data[:at])
        for start in range(at, len(data), self._longest_line):
            piece = data[start : start + self._longest_line]
            lines.append(LogLine(written, stream, piece, begins=not (start or is_open)))
            self._overhead += LINE_HEAD
        self._bytes += len(data)
        while self._bytes + self._overhead > self._most_bytes and len(lines) > 1:
            self._bytes -= len(lines.popleft().data)
            self._overhead -= LINE_HEAD
            self._first += 1

    def _wake(self) -> None:
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_result(None)
