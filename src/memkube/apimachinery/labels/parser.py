"""Grammar of label selectors: ``app=web,tier in (front,back),!legacy``.

::
    selector     = [ requirement { "," requirement } ]
    requirement  = [ "!" ] key [ comparison | membership ]
    comparison   = ( "=" | "==" | "!=" | ">" | "<" ) [ value ]
    membership   = ( "in" | "notin" ) "(" [ value ] { "," [ value ] } ")"
"""

import re
from typing import Final, Literal, NamedTuple, TypeAlias

from memkube.apimachinery.field_errors import invalid
from memkube.apimachinery.labels.selector import LabelSelector, Operator, Requirement
from memkube.apimachinery.names import is_qualified_name

_Kind: TypeAlias = Literal["end", "word", "symbol"]

_OPERATORS: Final[dict[str, Operator]] = {
    "in": "in", "notin": "notin", "=": "=", "==": "==", "!=": "!=", ">": "gt", "<": "lt",
}  # fmt: skip
_NAMES_OF_OPERATORS: Final = "in, notin, =, ==, !=, gt, lt"
_BLANK: Final = r" \t\r\n"
# A token is an operator or a word. As in Kubernetes, a NUL ends a word; a NUL at the start of a token ends the text.
_tokens: Final = re.compile(rf"[{_BLANK}]*(?:(==|!=|[=!(),<>])|([^=!(),<>{_BLANK}\0]+)\0?)").match


class _Token(NamedTuple):
    kind: _Kind
    text: str


_END: Final = _Token("end", "")
_COMMA: Final = _Token("symbol", ",")
_NOT: Final = _Token("symbol", "!")
_OPENING: Final = _Token("symbol", "(")
_CLOSING: Final = _Token("symbol", ")")


def parse(text: str) -> LabelSelector:
    """Parse a label selector. Raises ValueError with Kubernetes' message if the text is not a label selector."""
    return LabelSelector(sorted(_Parser(text).requirements(), key=lambda requirement: requirement.key))


def _scan(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    position = 0
    while found := _tokens(text, position):
        symbol, word = found.groups()
        tokens.append(_Token("symbol", symbol) if symbol else _Token("word", word))
        position = found.end()
    return [*tokens, _END]


def _error(token: _Token, expected: str) -> ValueError:
    return ValueError(f"found '{token.text}', expected: {expected}")


class _Parser:
    """Recursive descent parser; each method parses one rule of the grammar."""

    def __init__(self, text: str) -> None:
        self._rest = _scan(text)[::-1]

    @property
    def _next(self) -> _Token:
        return self._rest[-1]

    def requirements(self) -> list[Requirement]:
        requirements: list[Requirement] = []
        if self._next is _END:
            return requirements
        if not self._begins_requirement():
            raise _error(self._next, "!, identifier, or 'end of string'")
        while True:
            try:
                requirements.append(self._requirement())
            except ValueError as error:
                raise ValueError(f"unable to parse requirement: {error}") from None
            after = self._rest.pop()
            if after is _END:
                return requirements
            if after != _COMMA:
                raise _error(after, "',' or 'end of string'")
            if not self._begins_requirement():
                raise _error(self._next, "identifier after ','")

    def _begins_requirement(self) -> bool:
        return self._next.kind == "word" or self._next == _NOT

    def _requirement(self) -> Requirement:
        token = self._rest.pop()
        negated = token == _NOT
        if negated:
            token = self._rest.pop()
        if token.kind != "word":
            raise _error(token, "identifier")
        if problems := is_qualified_name(token.text):
            raise ValueError(str(invalid("<nil>", token.text, "; ".join(problems))))
        if negated:
            return Requirement(token.text, "!")
        if self._next in (_END, _COMMA):
            return Requirement(token.text, "exists")
        operator = self._operator()
        values = self._set() if operator in ("in", "notin") else self._value()
        return Requirement.checked(token.text, operator, sorted(values))

    def _operator(self) -> Operator:
        token = self._rest.pop()
        operator = _OPERATORS.get(token.text)
        if operator is None:
            raise _error(token, _NAMES_OF_OPERATORS)
        return operator

    def _value(self) -> set[str]:
        if self._next in (_END, _COMMA):
            return {""}
        token = self._rest.pop()
        if token.kind != "word":
            raise _error(token, "identifier")
        return {token.text}

    def _set(self) -> set[str]:
        token = self._rest.pop()
        if token != _OPENING:
            raise ValueError(f"found '{token.text}' expected: '('")
        if self._next == _CLOSING:
            self._rest.pop()
            return {""}
        if self._next.kind != "word" and self._next != _COMMA:
            raise _error(self._next, "',', ')' or identifier")
        values = self._members()
        self._rest.pop()
        return values

    def _members(self) -> set[str]:
        values: set[str] = set()
        while True:
            token = self._rest.pop()
            if token.kind == "word":
                values.add(token.text)
                if self._next == _CLOSING:
                    return values
                if self._next != _COMMA:
                    raise _error(self._next, "',' or ')'")
            elif token == _COMMA:
                if not values or self._next in (_CLOSING, _COMMA):
                    values.add("")
                if self._next == _CLOSING:
                    return values
            else:
                raise _error(token, "',', or identifier")
