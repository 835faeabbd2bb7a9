"""Connects a client with the process that a container already runs."""

import asyncio
from collections.abc import Callable

from memkube.controllers.kubelet.connections.log_reading import follow_output
from memkube.controllers.kubelet.connections.processes import write_output
from memkube.controllers.kubelet.connections.terminal_input import TerminalInput
from memkube.controllers.kubelet.container import SimulatedContainer
from memkube.controllers.kubelet.process import Process
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
    """Shows what the process writes from now on, and gives it what the client types.

    Ends with the process, or when the client types no more, unless that ends the input of the process (containerd,
    ``internal/cri/io``). It is no failure if the process fails: the pod's status tells that (``ServeAttach``).
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
    if spec.stdinOnce and not spec.tty:
        process.end_input(clock.now())
        process.advance(clock.now())
        touched()
