"""Parses templates in the syntax of Go's ``text/template`` (``text/template/parse``).

Complex numbers are refused.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias

from memkube.apimachinery.go_integers import parse_prefixed_int64

_ACTION: Final = re.compile(r"\{\{(-(?=\s))?")
_COMMENT: Final = re.compile(r"\s*/\*.*?\*/\s*?(\s-)?\}\}", re.DOTALL)
_END: Final = re.compile(r"\s+-\}\}|\s*\}\}")
_TOKEN: Final = re.compile(
    r"""(?P<string>"(?:[^"\\\n]|\\.)*")|(?P<raw>`[^`]*`)|(?P<rune>'(?:[^'\\\n]|\\.[^']*)')"""
    r"""|(?P<number>[+-]?(?:0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.]))"""
    r"""|(?P<field>\.[^\W\d]\w*)|(?P<variable>\$\w*)|(?P<word>[^\W\d]\w*)|(?P<sign>:=|[=|(),.])"""
)
_DEEPEST: Final = 100
_SPACES: Final = " \t\r\n"
_BRANCHES: Final = ("if", "range", "with")


class TemplateSyntaxError(ValueError):
    """Raised if a template is malformed or uses unsupported syntax. The message has one line."""


class Text(NamedTuple):
    """Text of a template outside of its actions."""

    text: str


class Constant(NamedTuple):
    """A number, string, boolean or nil in a template."""

    value: Any


class Dot(NamedTuple):
    """The current value ``.`` in a template, with the field names after it."""

    fields: tuple[str, ...] = ()


class Variable(NamedTuple):
    """A variable in a template, such as ``$x``, with the field names after it."""

    name: str
    fields: tuple[str, ...] = ()


class Function(NamedTuple):
    """The name of a function in a template."""

    name: str


class Chain(NamedTuple):
    """A pipeline in parentheses, with the field names after it."""

    pipe: "Pipe"
    fields: tuple[str, ...]


@dataclass(slots=True)
class Pipe:
    """A pipeline: commands, each of which gets the value of the one before it as last argument.

    The last value is assigned to the `variables`.
    """

    commands: list[list["Operand"]]
    variables: list[str] = field(default_factory=list)
    is_declared: bool = True
    """True if the variables are declared (``:=``), False if they are assigned (``=``)."""


Operand: TypeAlias = Constant | Dot | Variable | Function | Chain | Pipe


@dataclass(slots=True)
class Branch:
    """An ``if``, ``range`` or ``with`` in a template, with its body and its ``else``."""

    word: str
    pipe: Pipe
    body: list["Node"]
    otherwise: list["Node"]


class Jump(NamedTuple):
    """A ``break`` or ``continue`` in a template."""

    word: str


class Insertion(NamedTuple):
    """A ``template`` or ``block`` in a template, which inserts a named template. `pipe` computes its data."""

    name: str
    pipe: Pipe | None


Node: TypeAlias = Text | Pipe | Branch | Jump | Insertion


class Parsed(NamedTuple):
    """The syntax nodes of a template, and those of the templates that it defines, by name."""

    nodes: list[Node]
    named: dict[str, list[Node]]


class _Token(NamedTuple):
    kind: str
    text: str
    is_spaced: bool
    """True if white space precedes the token."""


class _Action(NamedTuple):
    tokens: list[_Token]


def parse_template(text: str, functions: Collection[str]) -> Parsed:
    """Parse the template `text` into syntax nodes. The template may call the functions named in `functions`.

    Raises TemplateSyntaxError if the template is malformed or uses unsupported syntax.
    """
    return _Parser(list(_pieces(text)), functions).parse()


def _pieces(text: str) -> Iterator[Text | _Action]:
    """Split a template into text and actions. The trim markers of actions remove white space from the text."""
    offset, trims = 0, False
    while True:
        found = _ACTION.search(text, offset)
        before = text[offset : found.start() if found else len(text)]
        before = before.lstrip(_SPACES) if trims else before
        if found is None:
            if before:
                yield Text(before)
            return
        before = before.rstrip(_SPACES) if found.group(1) else before
        if before:
            yield Text(before)
        offset = found.end()
        comment = _COMMENT.match(text, offset)
        if comment is not None:
            offset, trims = comment.end(), comment.group(1) is not None
            continue
        tokens = []
        while (end := _END.match(text, offset)) is None:
            token, offset = _token(text, offset)
            tokens.append(token)
        offset, trims = end.end(), "-" in end.group()
        yield _Action(tokens)


def _token(text: str, offset: int) -> tuple[_Token, int]:
    begin = offset
    while text[offset : offset + 1].isspace():
        offset += 1
    found = _TOKEN.match(text, offset)
    if found is None:
        raise TemplateSyntaxError(
            f"unexpected {text[offset : offset + 1]!r} in action" if offset < len(text) else "unclosed action"
        )
    kind = found.lastgroup or ""
    return _Token(kind, found.group(), offset > begin), found.end()


class _Parser:
    """Recursive descent parser of templates, which makes syntax nodes."""

    def __init__(self, pieces: list[Text | _Action], functions: Collection[str]) -> None:
        self._pieces = pieces
        self._at = 0
        self._functions = functions
        self._tokens: list[_Token] = []
        self._token_index = 0
        self._scopes: list[set[str]] = [{"$"}]
        self._depth = 0
        self._loops = 0
        self._templates: dict[str, list[Node]] = {}

    def parse(self) -> Parsed:
        nodes, word = self._list()
        if word:
            raise TemplateSyntaxError(f"unexpected {{{{{word}}}}}")
        return Parsed(nodes, self._templates)

    def _list(self) -> tuple[list[Node], str]:
        """Parse nodes of a template up to an ``end`` or ``else``, or up to the end of the template.

        Returns the nodes, and the word that ended them; empty at the end of the template.
        """
        nodes: list[Node] = []
        while self._at < len(self._pieces):
            piece = self._pieces[self._at]
            self._at += 1
            if isinstance(piece, Text):
                nodes.append(piece)
                continue
            self._tokens, self._token_index = piece.tokens, 0
            word = self._word()
            if word in ("end", "else"):
                self._token_index += 1
                return nodes, word
            if word == "define" and not self._depth:
                self._token_index += 1
                name = self._name(word)
                self._finish()
                self._define(name)
                continue
            nodes.append(self._action(word))
        return nodes, ""

    def _name(self, word: str) -> str:
        """Parse the name of a template after the `word` define, template or block."""
        token = self._peek()
        if token is None or token.kind not in ("string", "raw"):
            found = "end of action" if token is None else repr(token.text)
            raise TemplateSyntaxError(f"unexpected {found} in {word} clause")
        self._token_index += 1
        return str(_constant(token).value)

    def _define(self, name: str) -> None:
        """Parse the body of the template `name` up to its ``end``. In the body, only the variable ``$`` is defined."""
        scopes, loops = self._scopes, self._loops
        self._scopes, self._loops = [{"$"}], 0
        self._descend()
        nodes, closing = self._list()
        self._depth -= 1
        if closing != "end":
            raise TemplateSyntaxError(
                "unexpected EOF: a block has no {{end}}" if not closing else "unexpected {{else}}"
            )
        self._scopes, self._loops = scopes, loops
        if _is_empty(self._templates.get(name, ())):
            self._templates[name] = nodes
        elif not _is_empty(nodes):
            raise TemplateSyntaxError(f'multiple definition of template "{name}"')

    def _insertion(self, word: str) -> Insertion:
        self._token_index += 1
        name = self._name(word)
        pipe = self._pipe(f"{word} clause", most_variables=1) if self._peek() is not None or word == "block" else None
        self._finish()
        if word == "block":
            self._define(name)
        return Insertion(name, pipe)

    def _descend(self) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise TemplateSyntaxError(f"blocks are nested more than {_DEEPEST} times")

    def _word(self) -> str:
        token = self._peek()
        return token.text if token is not None and token.kind == "word" else ""

    def _peek(self) -> _Token | None:
        return self._tokens[self._token_index] if self._token_index < len(self._tokens) else None

    def _action(self, word: str) -> Node:
        if word in _BRANCHES:
            self._token_index += 1
            return self._branch(word)
        if word in ("break", "continue"):
            self._token_index += 1
            self._finish()
            if not self._loops:
                raise TemplateSyntaxError(f"{{{{{word}}}}} outside {{{{range}}}}")
            return Jump(word)
        if word in ("template", "block"):
            return self._insertion(word)
        if word == "define":
            raise TemplateSyntaxError("unexpected <define> in command")
        pipe = self._pipe("command", most_variables=1)
        self._finish()
        return pipe

    def _finish(self) -> None:
        token = self._peek()
        if token is not None:
            raise TemplateSyntaxError(f"unexpected {token.text!r} in action")

    def _branch(self, word: str) -> Branch:
        self._descend()
        self._scopes.append(set())
        pipe = self._pipe(word, most_variables=2 if word == "range" else 1)
        self._finish()
        self._loops += word == "range"
        self._scopes.append(set())
        body, closing = self._list()
        self._scopes.pop()
        self._loops -= word == "range"
        otherwise: list[Node] = []
        if closing == "else":
            otherwise = self._else(word)
        elif closing != "end":
            raise TemplateSyntaxError("unexpected EOF: a block has no {{end}}")
        self._scopes.pop()
        self._depth -= 1
        return Branch(word, pipe, body, otherwise)

    def _else(self, word: str) -> list[Node]:
        """Parse the nodes of a template after an ``else``, in a block that begins with `word`, such as ``if``.

        One ``end`` ends both blocks of an ``else if`` or ``else with``.
        """
        following = self._word()
        if following and following == word and word != "range":
            self._token_index += 1
            return [self._branch(word)]
        self._finish()
        self._scopes.append(set())
        nodes, closing = self._list()
        self._scopes.pop()
        if closing != "end":
            raise TemplateSyntaxError("expected {{end}} after {{else}}")
        return nodes

    def _pipe(self, context: str, most_variables: int, closing: str = "") -> Pipe:
        pipe = Pipe([])
        self._declarations(pipe, most_variables)
        while True:
            token = self._peek()
            if token is None or (closing and token.text == closing):
                break
            if token.text == "|" and token.kind == "sign":
                if not pipe.commands:
                    raise TemplateSyntaxError(f"missing value for {context}")
                self._token_index += 1
            elif pipe.commands:
                raise TemplateSyntaxError(f"unexpected {token.text!r} in {context}")
            pipe.commands.append(self._command(context, closing))
        if not pipe.commands:
            raise TemplateSyntaxError(f"missing value for {context}")
        if any(isinstance(command[0], Constant) for command in pipe.commands[1:]):
            raise TemplateSyntaxError("non executable command in pipeline")
        if pipe.is_declared:
            self._scopes[-1].update(pipe.variables)
        return pipe

    def _declarations(self, pipe: Pipe, most: int) -> None:
        begin, names = self._token_index, []
        while (token := self._peek()) is not None and token.kind == "variable":
            names.append(token.text)
            self._token_index += 1
            sign = self._peek()
            if sign is not None and sign.text in (":=", "="):
                self._token_index += 1
                if len(names) > most:
                    raise TemplateSyntaxError("too many declarations")
                pipe.variables, pipe.is_declared = names, sign.text == ":="
                for name in names if sign.text == "=" else ():
                    self._known(name)
                return
            if sign is None or sign.text != ",":
                break
            self._token_index += 1
        self._token_index = begin

    def _command(self, context: str, closing: str) -> list[Operand]:
        operands: list[Operand] = []
        while True:
            token = self._peek()
            if token is None or token.text == "|" or (closing and token.text == closing):
                break
            if operands and not token.is_spaced:
                raise TemplateSyntaxError(f"unexpected {token.text!r} in operand")
            operands.append(self._operand())
        if not operands:
            raise TemplateSyntaxError(f"missing value for {context}")
        return operands

    def _operand(self) -> Operand:
        token = self._tokens[self._token_index]
        self._token_index += 1
        if token.kind == "field":
            return Dot((token.text[1:], *self._fields()))
        if token.kind == "variable":
            self._known(token.text)
            return Variable(token.text, self._fields())
        if token.kind == "word":
            return self._named(token.text)
        if token.kind == "sign":
            if token.text == ".":
                return Dot()
            if token.text == "(":
                return self._parenthesis()
            raise TemplateSyntaxError(f"unexpected {token.text!r} in operand")
        constant = _constant(token)
        if self._fields():
            raise TemplateSyntaxError(f"unexpected . after term {token.text}")
        return constant

    def _parenthesis(self) -> Operand:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise TemplateSyntaxError(f"parentheses are nested more than {_DEEPEST} times")
        pipe = self._pipe("parenthesized pipeline", most_variables=1, closing=")")
        if self._peek() is None:
            raise TemplateSyntaxError("unclosed left paren")
        self._token_index += 1
        self._depth -= 1
        fields = self._fields()
        return Chain(pipe, fields) if fields else pipe

    def _named(self, word: str) -> Operand:
        if word in ("true", "false", "nil"):
            value: Operand = Constant({"true": True, "false": False, "nil": None}[word])
        elif word in self._functions:
            value = Function(word)
        else:
            raise TemplateSyntaxError(f'function "{word}" not defined')
        fields = self._fields()
        if not fields:
            return value
        if isinstance(value, Constant):
            raise TemplateSyntaxError(f"unexpected . after term {word}")
        return Chain(Pipe([[value]]), fields)

    def _fields(self) -> tuple[str, ...]:
        names = []
        while (token := self._peek()) is not None and token.kind == "field" and not token.is_spaced:
            names.append(token.text[1:])
            self._token_index += 1
        return tuple(names)

    def _known(self, variable: str) -> None:
        if not any(variable in scope for scope in self._scopes):
            raise TemplateSyntaxError(f'undefined variable "{variable}"')


def _is_empty(nodes: Iterable[Node]) -> bool:
    """Return True if a template has only white space. As in Go, another definition may replace it."""
    return all(isinstance(node, Text) and not node.text.strip() for node in nodes)


def _constant(token: _Token) -> Constant:
    if token.kind == "raw":
        return Constant(token.text[1:-1].replace("\r", ""))
    if token.kind == "number":
        return Constant(_number(token.text))
    quoted = token.text if token.kind == "string" else json.dumps(token.text[1:-1]).replace("\\\\", "\\")
    try:
        value = json.loads(quoted, strict=False)
    except ValueError:
        raise TemplateSyntaxError(f"the escape sequences in {token.text} are not supported") from None
    if token.kind == "string":
        return Constant(value)
    if len(value) != 1:
        raise TemplateSyntaxError(f"malformed character constant: {token.text}")
    return Constant(ord(value))


def _number(text: str) -> int | float:
    try:
        is_float = any(letter in text for letter in ".eE") and text.lstrip("+-")[:2].lower() != "0x"
        return float(text) if is_float else parse_prefixed_int64(text)
    except ValueError:
        raise TemplateSyntaxError(f"bad number syntax: {text!r}") from None
