"""What a played program does, step by step, on a clock that somebody else moves."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Literal, TypeAlias

OutputStream: TypeAlias = Literal["stdout", "stderr"]


@dataclass(frozen=True, slots=True)
class Output:
    """The program writes."""

    data: bytes
    stream: OutputStream = "stdout"


@dataclass(frozen=True, slots=True)
class Pause:
    """The program does nothing for a while; for ever, where `seconds` is infinite."""

    seconds: float


@dataclass(frozen=True, slots=True)
class ReadLine:
    """The program waits for a line of input. It is sent the line with its end, or nothing at the end of the input."""


Step: TypeAlias = Output | Pause | ReadLine
Run: TypeAlias = Generator[Step, bytes | None, int]
"""A program that runs: its steps, and at last its exit code."""


class Interrupted(Exception):
    """Thrown into a program in place of a step's result: Ctrl-C was pressed."""


def error(text: str) -> Output:
    """A line about what went wrong."""
    return Output(f"{text}\n".encode(), "stderr")
