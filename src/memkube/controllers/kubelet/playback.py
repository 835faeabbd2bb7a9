"""Plays short programs to their end at once: probes and hooks."""

import math
from typing import Final, NamedTuple

from memkube.controllers.kubelet.programs.program import Output, Pause, ReadLine, Run, Serve

_MOST_OUTPUT: Final = 10 * 1024
_MOST_RESTS: Final = 10


class Playback(NamedTuple):
    """How a program went."""

    code: int | None
    """None where it takes longer than it may."""
    output: str
    seconds: float
    """How long it took; infinite where the program is not one that is played."""


def play_to_end(run: Run, limit: float) -> Playback:
    """Plays a program that may take `limit` seconds and gets no input."""
    written = b""
    seconds, rests = 0.0, 0
    sent: bytes | None = None
    while True:
        try:
            step = run.send(sent)
        except StopIteration as ended:
            return Playback(ended.value, written.decode(errors="replace"), seconds)
        sent = None
        match step:
            case Output(data=data):
                written = (written + data)[:_MOST_OUTPUT]
            case Pause(seconds=pause, busy=busy):
                seconds += pause
                rests += busy
                if rests > _MOST_RESTS:
                    return Playback(None, written.decode(errors="replace"), limit)
                if pause == math.inf or seconds > limit:
                    return Playback(None, written.decode(errors="replace"), seconds)
            case Serve():
                return Playback(None, written.decode(errors="replace"), math.inf)
            case ReadLine():
                sent = b""
