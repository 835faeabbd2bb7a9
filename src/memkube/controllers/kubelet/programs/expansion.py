"""Expands the words of shell scripts (POSIX.1-2024, XCU 2.6)."""

from collections.abc import Callable, Generator
from typing import NamedTuple, TypeAlias, TypeVar

from memkube.controllers.kubelet.programs.arithmetic import evaluate
from memkube.controllers.kubelet.programs.session import Session
from memkube.controllers.kubelet.programs.steps import Output, Run, Step
from memkube.controllers.kubelet.programs.syntax import Arithmetic, Sequence, Substitution, Text, Variable, Word

T = TypeVar("T")
Steps: TypeAlias = Generator[Step, bytes | None, T]
"""Steps that lead to a value."""


class _Piece(NamedTuple):
    text: str
    splits: bool
    """Whether blanks in it separate fields."""


class Expansion:
    """Expands words with the variables of a session; ``$(…)`` is run by `run`, ``$?`` is asked of `status`."""

    def __init__(self, session: Session, run: Callable[[Sequence], Run], status: Callable[[], int]) -> None:
        self._session = session
        self._run = run
        self._status = status

    def joined(self, word: Word) -> Steps[str]:
        """The word as one string."""
        return "".join(piece.text for piece in (yield from self._pieces(word)))

    def fields(self, words: tuple[Word, ...]) -> Steps[list[str]]:
        """The words as the arguments that they become."""
        found: list[str] = []
        for word in words:
            found += _split((yield from self._pieces(word)))
        return found

    def _pieces(self, word: Word) -> Steps[list[_Piece]]:
        pieces = []
        for part in word:
            match part:
                case Text(text=text):
                    pieces.append(_Piece(text, splits=False))
                case Variable(quoted=quoted):
                    pieces.append(_Piece(self._variable(part), not quoted))
                case Arithmetic(expression=expression, quoted=quoted):
                    variables = {**self._session.environment, **self._session.variables}
                    pieces.append(_Piece(str(evaluate(expression, variables)), not quoted))
                case Substitution(body=body, quoted=quoted):
                    output = yield from self._output(body)
                    pieces.append(_Piece(output, not quoted))
        return pieces

    def _variable(self, variable: Variable) -> str:
        specials = {"?": str(self._status()), "#": "0", "$": "1", "0": "sh"}
        if variable.name in specials:
            return specials[variable.name]
        return self._session.variable(variable.name) or variable.default

    def _output(self, body: Sequence) -> Steps[str]:
        written = b""
        run = self._run(body)
        line: bytes | None = None
        while True:
            try:
                step = run.send(line)
            except StopIteration:
                return written.decode(errors="replace").rstrip("\n")
            line = None
            if isinstance(step, Output) and step.stream == "stdout":
                written += step.data
            else:
                line = yield step


def _split(pieces: list[_Piece]) -> list[str]:
    fields: list[str] = []
    current: str | None = None
    for piece in pieces:
        if not piece.splits:
            current = (current or "") + piece.text
            continue
        words = piece.text.split()
        if current is not None and (not words or piece.text[:1].isspace()) and piece.text:
            fields.append(current)
            current = None
        for index, word in enumerate(words):
            if index:
                fields.append(current or "")
                current = None
            current = (current or "") + word
        if words and piece.text[-1:].isspace():
            fields.append(current or "")
            current = None
    return fields if current is None else [*fields, current]
