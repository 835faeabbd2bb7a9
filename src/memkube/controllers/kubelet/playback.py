"""Plays short programs to their end at once: probes and hooks."""

import math
from typing import NamedTuple

from memkube.controllers.kubelet.programs.steps import Output, Pause, ReadLine, Run


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
    seconds = 0.0
    sent: bytes | None = None
    while True:
        try:
            step = run.send(sent)
        except StopIteration as ended:
            return Playback(ended.value, written.decode(errors="replace"), seconds)
        sent = None
        match step:
            case Output(data=data):
                written += data
            case Pause(seconds=pause):
                seconds += pause
                if pause == math.inf or seconds > limit:
                    return Playback(None, written.decode(errors="replace"), seconds)
            case ReadLine():
                sent = b""
