"""Exec and attach sessions: a client sends input to a process in a container, and reads its output."""

import asyncio
import math
from collections import deque
from collections.abc import Callable
from datetime import timedelta
from io import BytesIO
from typing import Any, Final, NamedTuple

from memkube.controllers.kubelet.connections.log_reading import follow_output
from memkube.controllers.kubelet.containers.container import SimulatedContainer
from memkube.controllers.kubelet.containers.process import PIPE_BYTES, Process
from memkube.controllers.kubelet.pod_context import AnyContainer
from memkube.controllers.kubelet.programs.program import Interrupted, Output, Pause, ReadLine, Run, Serve
from memkube.registry.declarations.streaming import ProcessStreams
from memkube.time.clock import Clock

_ERASE: Final = (0x08, 0x7F)
_INTERRUPT: Final = 0x03
_END: Final = 0x04
_ESCAPE: Final = 0x1B
_LONGEST_TYPED: Final = 4095
_LOOKS_AGAIN: Final = timedelta(seconds=0.1)
INTERRUPTED = 130


class Typed(NamedTuple):
    """Result of keys that a user typed: text to echo, finished lines, and whether Ctrl-C or Ctrl-D was pressed."""

    echo: bytes = b""
    lines: tuple[bytes, ...] = ()
    interrupts: bool = False
    ends: bool = False


class TerminalInput:
    """Assembles typed keys into lines, like the line discipline of a terminal."""

    def __init__(self) -> None:
        self._line = bytearray()

    def type(self, keys: bytes) -> Typed:
        """Process keys that the client's terminal sends in raw mode. Returns lines, echo and special keys."""
        echo = bytearray()
        lines: list[bytes] = []
        interrupts = ends = False
        for key in keys:
            if key in (0x0D, 0x0A):
                lines.append(bytes(self._line) + b"\n")
                self._line.clear()
                echo += b"\r\n"
            elif key in _ERASE:
                if self._line:
                    del self._line[-1]
                    echo += b"\b \b"
            elif key == _INTERRUPT:
                self._line.clear()
                echo += b"^C\r\n"
                interrupts = True
            elif key == _END:
                ends = ends or not self._line
            elif key >= 0x20 and key != _ESCAPE and len(self._line) < _LONGEST_TYPED:
                self._line.append(key)
                echo.append(key)
        return Typed(bytes(echo), tuple(lines), interrupts, ends)


class ClientInput:
    """The lines of input that a client of an exec or attach session sends.

    If the session has a terminal, the input is echoed, and Ctrl-C interrupts the program.
    """

    def __init__(self, streams: ProcessStreams) -> None:
        self._streams = streams
        self._lines: deque[bytes] = deque()
        self._rest = bytearray()
        self._size = 0
        self._has_room = asyncio.Event()
        self._ended = streams.stdin is None
        self._changed = asyncio.Event()
        self.interrupted = asyncio.Event()

    async def pump(self) -> None:
        """Read the client's input until the client closes its input stream."""
        assert self._streams.stdin is not None
        terminal = TerminalInput() if self._streams.tty else None
        async for piece in self._streams.stdin:
            if terminal is None:
                await self._take(piece)
            else:
                typed = terminal.type(piece)
                # Like a terminal, discard lines that exceed the input buffer.
                if self._size < PIPE_BYTES:
                    self._lines += typed.lines
                    self._size += sum(map(len, typed.lines))
                self._ended = self._ended or typed.ends
                if typed.interrupts:
                    # Ctrl-C discards the lines that the program has not read yet.
                    self._lines.clear()
                    self._size = 0
                    self.interrupted.set()
                if typed.echo and self._streams.stdout is not None:
                    await self._streams.stdout(typed.echo)
            self._changed.set()
        if self._rest:
            self._lines.append(bytes(self._rest))
            self._size += len(self._rest)
        self._ended = True
        self._changed.set()

    async def _take(self, piece: bytes) -> None:
        """Add a piece of the client's input to the lines.

        Like a write to a full pipe, this waits until the program has read enough of the buffered input.
        """
        self._rest += piece
        end = self._rest.rfind(b"\n") + 1 or (len(self._rest) if len(self._rest) >= PIPE_BYTES else 0)
        self._lines += BytesIO(self._rest[:end]).readlines()
        del self._rest[:end]
        self._size += end
        self._changed.set()
        while self._size >= PIPE_BYTES:
            self._has_room.clear()
            await self._has_room.wait()

    async def line(self) -> bytes:
        """Return the next line of the client's input, or empty bytes at its end. Raises Interrupted after Ctrl-C."""
        while not self._lines and not self._ended:
            self._changed.clear()
            waits = [asyncio.ensure_future(self._changed.wait()), asyncio.ensure_future(self.interrupted.wait())]
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for wait in waits:
                    wait.cancel()
            self.check()
        line = self._lines.popleft() if self._lines else b""
        self._size -= len(line)
        self._has_room.set()
        return line

    def check(self) -> None:
        """Raise Interrupted if the client pressed Ctrl-C since the last call."""
        if self.interrupted.is_set():
            self.interrupted.clear()
            raise Interrupted


async def play_for_client(run: Run, streams: ProcessStreams, clock: Clock) -> int:
    """Run `run`, the program of an exec session, in real time, and return its exit code.

    `streams` connect the program to the client.
    """
    typed = ClientInput(streams)
    pump = asyncio.create_task(typed.pump()) if streams.stdin is not None else None
    try:
        return await _play(run, streams, typed, clock)
    finally:
        run.close()
        if pump is not None:
            pump.cancel()


async def _play(run: Run, streams: ProcessStreams, typed: ClientInput, clock: Clock) -> int:
    sent: bytes | None = None
    interrupt: Interrupted | None = None
    while True:
        try:
            step = run.throw(interrupt) if interrupt else run.send(sent)
        except StopIteration as ended:
            code: int = ended.value
            return code
        except Interrupted:
            return INTERRUPTED
        sent = interrupt = None
        try:
            match step:
                case Output():
                    await write_output(step.stream, step.data, streams)
                case Pause(seconds=seconds):
                    await _pause(seconds, typed, clock)
                case ReadLine():
                    sent = await typed.line()
                case Serve():
                    await _pause(math.inf, typed, clock)
        except Interrupted as interrupted:
            interrupt = interrupted


async def write_output(stream: str, data: bytes, streams: ProcessStreams) -> None:
    """Send `data`, the output of a program, to the client.

    `stream` is ``stdout`` or ``stderr``. `streams` are the streams that the client has requested; output for another
    stream is dropped. If the client has a terminal, all output is sent to its stdout.
    """
    write = streams.stdout if stream == "stdout" or streams.tty else streams.stderr
    if write is not None:
        await write(data.replace(b"\n", b"\r\n") if streams.tty else data)


async def _pause(seconds: float, typed: ClientInput, clock: Clock) -> None:
    loop = asyncio.get_running_loop()
    due: asyncio.Future[Any] = loop.create_future()

    def on_timer() -> None:
        # A clock that moves only when a client advances it must not advance until the task that runs the program has
        # resumed, which takes several turns of the event loop.
        clock.activity.begin()
        if not due.done():
            due.set_result(None)

    timer = None if seconds == math.inf else clock.call_at(clock.now() + timedelta(seconds=seconds), on_timer)
    interrupt: asyncio.Future[Any] = asyncio.ensure_future(typed.interrupted.wait())
    try:
        await asyncio.wait({due, interrupt}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        if timer is not None:
            timer.cancel()
        interrupt.cancel()
        if due.done():
            loop.call_soon(clock.activity.end)
        due.cancel()
    typed.check()


async def attach_to(
    container: SimulatedContainer,
    spec: AnyContainer,
    streams: ProcessStreams,
    clock: Clock,
    touched: Callable[[], None],
) -> int:
    """Attach a client to a container's process: the client gets new output of the process, and sends input to it.

    `touched` is called after each input, so that the kubelet looks at the pod again: the process may have ended.
    `clock` gives the time of the input.

    The session ends when the process ends, or when the client closes its input stream. With ``stdinOnce`` and without a
    terminal, closing the input stream closes the input of the process instead (containerd, ``internal/cri/io``). If the
    process fails, the session ends without an error, because the pod's status reports the failure (``ServeAttach``).
    """
    process, log = container.process, container.log
    assert process is not None
    assert log is not None
    process.advance(clock.now())
    position = log.position
    takes_input = spec.stdin and streams.stdin is not None
    pump = asyncio.create_task(_feed(process, spec, streams, clock, touched)) if takes_input else None
    ends_input = spec.stdinOnce and not spec.tty
    detached = asyncio.get_running_loop().create_future() if pump is None or ends_input else pump
    try:
        async for line in follow_output(log, position, detached):
            await write_output(line.stream, line.data, streams)
    finally:
        if pump is not None:
            pump.cancel()
    return 0


async def _feed(
    process: Process, spec: AnyContainer, streams: ProcessStreams, clock: Clock, touched: Callable[[], None]
) -> None:
    assert streams.stdin is not None
    terminal = TerminalInput() if spec.tty else None
    async for piece in streams.stdin:
        now = clock.now()
        if terminal is None:
            process.feed(piece, now)
        else:
            typed = terminal.type(piece)
            if typed.echo and streams.stdout is not None:
                await streams.stdout(typed.echo)
            for line in typed.lines:
                process.feed(line, now)
            if typed.interrupts:
                process.interrupt(now)
            if typed.ends:
                process.end_input(now)
        process.advance(now)
        touched()
        while process.is_full:
            await clock.sleep_until(clock.now() + _LOOKS_AGAIN)
            process.advance(clock.now())
    if spec.stdinOnce and not spec.tty:
        process.end_input(clock.now())
        process.advance(clock.now())
        touched()
