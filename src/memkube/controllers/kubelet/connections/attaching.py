"""Connects a client with the process that a container already runs."""

import asyncio
from collections.abc import Callable

from memkube.controllers.kubelet.connections.log_reading import follow_output
from memkube.controllers.kubelet.connections.processes import write_output
from memkube.controllers.kubelet.connections.terminal_input import TerminalInput
from memkube.controllers.kubelet.container import SimulatedContainer
from memkube.controllers.kubelet.process import KILLED, Process
from memkube.controllers.kubelet.setting import AnyContainer
from memkube.registry.clock import Clock
from memkube.registry.streaming import ProcessStreams


async def attach_to(
    container: SimulatedContainer,
    spec: AnyContainer,
    streams: ProcessStreams,
    clock: Clock,
    touched: Callable[[], None],
) -> int:
    """Shows what the process writes from now on, and gives it what the client types; ends with the process."""
    process, log = container.process, container.log
    assert process is not None
    assert log is not None
    process.advance(clock.now())
    position = log.position
    takes_input = spec.stdin and streams.stdin is not None
    pump = asyncio.create_task(_feed(process, spec, streams, clock, touched)) if takes_input else None
    try:
        async for line in follow_output(log, position):
            await write_output(line.stream, line.data, streams)
    finally:
        if pump is not None:
            pump.cancel()
    return process.exit.code if process.exit is not None else KILLED


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
    if spec.stdinOnce:
        process.end_input(clock.now())
        process.advance(clock.now())
        touched()
