"""Runs a simulated program to its end, or until a given second."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from memkube.controllers.kubelet.programs.files import MOST_BYTES, Files
from memkube.controllers.kubelet.programs.inodes import Mount
from memkube.controllers.kubelet.programs.interpreter import run_program
from memkube.controllers.kubelet.programs.program import Output, Pause, Serve, Session
from memkube.controllers.kubelet.programs.variables import Environment

START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@dataclass
class Played:
    """The result of a program; `code` is None if the program was still running."""

    output: str = ""
    errors: str = ""
    seconds: float = 0
    code: int | None = None
    serves: str | None = None
    """Reason why the program is not simulated but runs until it is stopped; None if it was simulated."""
    rests: int = 0
    """Number of times that the program yielded to the event loop during a computation."""
    written_at: list[float] = field(default_factory=list)


def played(
    *command: str,
    environment: Mapping[str, str] | None = None,
    mounted: Mapping[str, bytes] | None = None,
    lines: Iterable[bytes] = (),
    becomes_server: bool = False,
    terminal: bool = False,
    until: float = math.inf,
    file_bytes: int = MOST_BYTES,
    mounts: Mapping[str, Mount] | None = None,
    user: int = 0,
) -> Played:
    result = Played()
    files = Files(mounted or {}, limit=file_bytes, mounts=mounts)
    files.begin(user, (user,), START.timestamp())
    session = Session(
        environment=Environment(dict(environment or {})),
        hostname="web-0",
        files=files,
        now=lambda: START + timedelta(seconds=result.seconds),
        becomes_server=becomes_server,
        terminal=terminal,
        user=user,
        groups=(user,),
    )
    run = run_program(command, session)
    typed = iter(lines)
    sent: bytes | None = None
    while True:
        try:
            step = run.send(sent)
        except StopIteration as stop:
            result.code = stop.value
            return result
        sent = None
        match step:
            case Output(data=data, stream="stdout"):
                result.output += data.decode()
                result.written_at.append(result.seconds)
            case Output(data=data):
                result.errors += data.decode()
            case Serve(why=why):
                result.serves = why
                return result
            case Pause(seconds=seconds, busy=busy):
                result.rests += busy
                if result.seconds + seconds > until or seconds == math.inf:
                    return result
                result.seconds += seconds
            case _:
                sent = next(typed, b"")
