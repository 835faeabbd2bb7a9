"""Plays a command for a client that is connected to it."""

import asyncio
import math
from collections import deque
from datetime import timedelta

from memkube.controllers.kubelet.connections.terminal_input import TerminalInput
from memkube.controllers.kubelet.programs.program import Interrupted, Output, Pause, ReadLine, Run, Serve
from memkube.registry.clock import Clock
from memkube.registry.streaming import ProcessStreams

INTERRUPTED = 130


class ClientInput:
    """The lines that a client sends; with a terminal they are echoed, and Ctrl-C interrupts."""

    def __init__(self, streams: ProcessStreams) -> None:
        self._streams = streams
        self._lines: deque[bytes] = deque()
        self._rest = b""
        self._ended = streams.stdin is None
        self._changed = asyncio.Event()
        self.interrupted = asyncio.Event()

    async def pump(self) -> None:
        """Takes what the client sends until it sends no more."""
        assert self._streams.stdin is not None
        terminal = TerminalInput() if self._streams.tty else None
        async for piece in self._streams.stdin:
            if terminal is None:
                *lines, self._rest = (self._rest + piece).split(b"\n")
                self._lines += [line + b"\n" for line in lines]
            else:
                typed = terminal.type(piece)
                self._lines += typed.lines
                self._ended = self._ended or typed.ends
                if typed.interrupts:
                    # A terminal forgets what was typed ahead.
                    self._lines.clear()
                    self.interrupted.set()
                if typed.echo and self._streams.stdout is not None:
                    await self._streams.stdout(typed.echo)
            self._changed.set()
        self._lines += [self._rest] if self._rest else []
        self._ended = True
        self._changed.set()

    async def line(self) -> bytes:
        """The next line; nothing at the end. Raises Interrupted."""
        while not self._lines and not self._ended:
            self._changed.clear()
            waits = [asyncio.ensure_future(self._changed.wait()), asyncio.ensure_future(self.interrupted.wait())]
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for wait in waits:
                    wait.cancel()
            self.check()
        return self._lines.popleft() if self._lines else b""

    def check(self) -> None:
        """Raises Interrupted once after every Ctrl-C."""
        if self.interrupted.is_set():
            self.interrupted.clear()
            raise Interrupted


async def play_for_client(run: Run, streams: ProcessStreams, clock: Clock) -> int:
    """Plays a program in the client's time; returns its exit code."""
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
    """Sends output the way that the client asked for it; what it did not ask for is dropped."""
    write = streams.stdout if stream == "stdout" or streams.tty else streams.stderr
    if write is not None:
        await write(data.replace(b"\n", b"\r\n") if streams.tty else data)


async def _pause(seconds: float, typed: ClientInput, clock: Clock) -> None:
    until = asyncio.ensure_future(
        asyncio.Event().wait() if seconds == math.inf else clock.sleep_until(clock.now() + timedelta(seconds=seconds))
    )
    interrupt = asyncio.ensure_future(typed.interrupted.wait())
    try:
        await asyncio.wait([until, interrupt], return_when=asyncio.FIRST_COMPLETED)
    finally:
        until.cancel()
        interrupt.cancel()
    typed.check()
