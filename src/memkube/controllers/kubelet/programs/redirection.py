"""Sends what a program writes somewhere else."""

from dataclasses import dataclass

from memkube.controllers.kubelet.programs.files import Files, ReadOnlyFile
from memkube.controllers.kubelet.programs.steps import Output, OutputStream, Run, error
from memkube.controllers.kubelet.programs.words import Unplayable

_NOWHERE = "/dev/null"
_STREAMS: dict[str, OutputStream] = {"1": "stdout", "2": "stderr", "/dev/stdout": "stdout", "/dev/stderr": "stderr"}


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a stream goes: to a file or, where `stream` is set, to another stream."""

    file: str = ""
    stream: OutputStream | None = None
    appends: bool = False

    @classmethod
    def named(cls, name: str, *, appends: bool, duplicates: bool) -> "Destination":
        """The destination that a redirection names. Raises Unplayable."""
        if duplicates or name.startswith("/dev/std"):
            if name not in _STREAMS:
                raise Unplayable(f"a redirection to {name} is not played")
            return cls(stream=_STREAMS[name])
        return cls(file=name, appends=appends)


def redirected(run: Run, destinations: dict[OutputStream, Destination], files: Files) -> Run:
    """A program whose streams go elsewhere; it does not run where a file cannot be written."""
    for destination in destinations.values():
        try:
            _open(destination, files)
        except OSError as problem:
            why = "Read-only file system" if isinstance(problem, ReadOnlyFile) else "Is a directory"
            yield error(f"sh: can't create {destination.file}: {why}")
            return 1
    line: bytes | None = None
    while True:
        try:
            step = run.send(line)
        except StopIteration as stop:
            code: int = stop.value
            return code
        line = None
        if isinstance(step, Output):
            output = _routed(step, destinations, files)
            if output is not None:
                yield output
        else:
            line = yield step


def _open(destination: Destination, files: Files) -> None:
    if destination.file and destination.file != _NOWHERE:
        files.write(destination.file, b"", appends=destination.appends)


def _routed(output: Output, destinations: dict[OutputStream, Destination], files: Files) -> Output | None:
    destination = destinations.get(output.stream)
    if destination is not None and destination.stream is not None:
        onward = destinations.get(destination.stream)
        if onward is None or onward.stream is not None:
            return Output(output.data, destination.stream)
        destination = onward
    if destination is None:
        return output
    if destination.file != _NOWHERE:
        files.write(destination.file, output.data, appends=True)
    return None
