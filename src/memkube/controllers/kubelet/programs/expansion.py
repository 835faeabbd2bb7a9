"""Expansion of the words of shell scripts (POSIX.1-2024, XCU 2.6)."""

import ast
import operator
import posixpath
import re
from collections import ChainMap
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import Final, NamedTuple

from memkube.controllers.kubelet.programs.program import NotSimulated, Output, Run, Session, Steps
from memkube.controllers.kubelet.programs.syntax import Arithmetic, Sequence, Substitution, Text, Variable, Word

_LARGEST: Final = 2**63
_LONGEST_WORD: Final = 1024 * 1024
_DOLLARS: Final = re.compile(r"\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?")
_WILD: Final = re.compile(r"[*?\[]")
_OPERATORS: Final[dict[type[ast.operator], Callable[[int, int], int]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    ast.Mod: lambda a, b: abs(a) % abs(b) * (-1 if a < 0 else 1),
}
_COMPARISONS: Final[dict[type[ast.cmpop], Callable[[int, int], bool]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


class ParameterNotSet(Exception):
    """Raised for ``${NAME?TEXT}`` and ``${NAME:?TEXT}`` if the variable is not set. The text is the shell's error."""


class _Piece(NamedTuple):
    text: str
    splits: bool = False
    """True if blanks in the text separate arguments."""
    quoted: bool = False
    """True if the characters ``*``, ``?`` and ``[`` in the text are literal."""


class _Field(NamedTuple):
    """One argument of a command after expansion, as text and as a glob pattern."""

    text: str = ""
    pattern: str = ""

    def plus(self, text: str, *, quoted: bool) -> "_Field":
        return _Field(self.text + text, self.pattern + (_WILD.sub(r"[\g<0>]", text) if quoted else text))


class Expansion:
    """Expands the words of a shell script with the variables of a session.

    `run` executes the commands in ``$(…)``. `status` returns the value of ``$?``. The methods raise NotSimulated for
    words of more than 1 MiB.
    """

    def __init__(self, session: Session, run: Callable[[Sequence], Run], status: Callable[[], int]) -> None:
        self._session = session
        self._run = run
        self._status = status

    def joined(self, word: Word) -> Steps[str]:
        """Expand a word to one string, without splitting it into arguments."""
        return "".join(piece.text for piece in (yield from self._pieces(word)))

    def pattern(self, word: Word) -> Steps[str]:
        """Expand a word to a glob pattern, in which quoted characters are literal."""
        field = _Field()
        for piece in (yield from self._pieces(word)):
            field = field.plus(piece.text, quoted=piece.quoted)
        return field.pattern

    def fields(self, words: tuple[Word, ...]) -> Steps[list[str]]:
        """Expand words to the arguments of a command."""
        found: list[str] = []
        for word in words:
            for field in _split((yield from self._pieces(word))):
                found += self._files(field)
        return found

    def _pieces(self, word: Word) -> Steps[list[_Piece]]:
        pieces = []
        for part in word:
            match part:
                case Text(text=text, quoted=quoted):
                    pieces.append(_Piece(text, quoted=quoted))
                case Variable(quoted=quoted):
                    pieces.append(_Piece(self._variable(part), not quoted, quoted))
                case Arithmetic(expression=expression, quoted=quoted):
                    variables = ChainMap(self._session.variables, self._session.environment)
                    pieces.append(_Piece(str(evaluate(expression, variables)), not quoted, quoted))
                case Substitution(body=body, quoted=quoted):
                    output = yield from self._output(body)
                    pieces.append(_Piece(output, not quoted, quoted))
        if sum(len(piece.text) for piece in pieces) > _LONGEST_WORD:
            raise NotSimulated("a shell word of more than 1 MiB is not simulated")
        return pieces

    def _variable(self, variable: Variable) -> str:
        arguments = self._session.arguments
        if variable.name.isdigit():
            value = arguments[int(variable.name)] if int(variable.name) < len(arguments) else None
        else:
            specials = {"?": str(self._status()), "#": str(len(arguments) - 1), "$": "1"}
            value = specials.get(variable.name, self._session.variable(variable.name))
        match variable.operator:
            case ":-":
                return value or variable.operand
            case "-":
                return variable.operand if value is None else value
            case "":
                return value or ""
            case ":?" | "?":
                if value is None or (not value and variable.operator == ":?"):
                    default = "parameter not set" + (" or null" if variable.operator == ":?" else "")
                    raise ParameterNotSet(f"{variable.name}: {variable.operand or default}")
                return value
        return _without(value or "", variable.operator, variable.operand)

    def _output(self, body: Sequence) -> Steps[str]:
        written = bytearray()
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
                if len(written) > _LONGEST_WORD:
                    raise NotSimulated("$(…) with an output of more than 1 MiB is not simulated")
            else:
                line = yield step

    def _files(self, field: _Field) -> list[str]:
        """Return the names of the files that match an argument which may contain wildcards (`field`).

        If no file matches, return the argument itself.
        """
        if not _WILD.search(field.text):
            return [field.text]
        found = ["/"] if field.pattern.startswith("/") else [""]
        for part in field.pattern.strip("/").split("/"):
            found = [name for directory in found for name in self._matching(directory, part)]
        return found or [field.text]

    def _matching(self, directory: str, pattern: str) -> list[str]:
        files, path = self._session.files, self._session.path(directory or ".")
        hidden = pattern.startswith(".")
        names = [name for name in files.names_in(path) if name.startswith(".") == hidden]
        return [posixpath.join(directory, name) for name in names if fnmatchcase(name, pattern)]


def evaluate(expression: str, variables: Mapping[str, str]) -> int:
    """Return the value of the shell expression between ``$((`` and ``))`` as a 64-bit integer.

    `variables` are the variables of the shell. Raises NotSimulated if the text is not an integer expression.
    """
    try:
        tree = ast.parse(_DOLLARS.sub(r"\1", expression).strip() or "0", mode="eval")
        value = _value(tree.body, variables)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError):
        raise NotSimulated(f"the arithmetic expression {expression[:100]} is not simulated") from None
    return (value + _LARGEST) % (2 * _LARGEST) - _LARGEST


def _value(node: ast.expr, variables: Mapping[str, str]) -> int:
    match node:
        case ast.Constant(value=int() as number):
            return number
        case ast.Name(id=name):
            return int(variables.get(name) or "0")
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, variables)
        case ast.BinOp(op=op, left=left, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_value(left, variables), _value(right, variables))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARISONS:
            return int(_COMPARISONS[type(op)](_value(left, variables), _value(right, variables)))
    raise ValueError(ast.dump(node))


def _without(value: str, operator: str, pattern: str) -> str:
    """Remove a prefix (operator ``#`` or ``##``) or suffix (``%`` or ``%%``) that matches a pattern from a value.

    A double operator removes the longest match, a single one the shortest.
    """
    lengths = range(len(value) + 1)
    for length in reversed(lengths) if len(operator) > 1 else lengths:
        cut, rest = (value[:length], value[length:]) if operator[0] == "#" else _tail(value, length)
        if fnmatchcase(cut, pattern):
            return rest
    return value


def _tail(value: str, length: int) -> tuple[str, str]:
    at = len(value) - length
    return value[at:], value[:at]


def _split(pieces: list[_Piece]) -> list[_Field]:
    fields: list[_Field] = []
    current: _Field | None = None
    for piece in pieces:
        if not piece.splits:
            current = (current or _Field()).plus(piece.text, quoted=piece.quoted)
            continue
        words = piece.text.split()
        if current is not None and (not words or piece.text[:1].isspace()) and piece.text:
            fields.append(current)
            current = None
        for index, word in enumerate(words):
            if index:
                fields.append(current or _Field())
                current = None
            current = (current or _Field()).plus(word, quoted=False)
        if words and piece.text[-1:].isspace():
            fields.append(current or _Field())
            current = None
    return fields if current is None else [*fields, current]
