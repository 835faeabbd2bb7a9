"""Parsing of CEL expressions, with cel-go's limits and errors."""

from typing import Final

from memkube.apimachinery.errors import ApiError
from memkube.cel.issues import Issue, Source
from memkube.cel.parsing.automaton import automaton
from memkube.cel.parsing.builder import Builder, Macros, TooManyNodes
from memkube.cel.parsing.expressions import NotPlain, parse_plain
from memkube.cel.parsing.macros import MACROS, WITH_BINDINGS
from memkube.cel.parsing.prediction import Predictor
from memkube.cel.parsing.recovery import Abandoned, RecoveringParser
from memkube.cel.parsing.tokens import Tokens, read_tokens
from memkube.cel.parsing.trees import Visitor
from memkube.cel.syntax import Ast

_LONGEST: Final = 100_000
# Maximum depth of syntax trees: the type checker and the evaluation are recursive, which Python limits.
_DEEPEST: Final = 200
# An expression with at most this number of characters never exceeds the maximum depth: its depth is not measured.
_SHORT: Final = 300
_TOO_DEEP: Final = "CEL expressions that are nested this deeply are not supported"
_TOO_MANY: Final = "CEL expressions in which macros copy this much are not supported"


class ParseErrors(Exception):
    """Raised if the text of an expression has syntax errors, which are in `issues`."""

    def __init__(self, issues: list[Issue]) -> None:
        super().__init__(issues)
        self.issues = issues


def parse(source: Source, *, bindings: bool = False) -> Ast:
    """Parse an expression. If `bindings` is true, the expression can use the macro ``cel.bind``.

    Raises ParseErrors for syntax errors, and ApiError (501) if the syntax tree is too deep or too large.
    """
    if len(source.text) > _LONGEST:
        why = f"expression code point size exceeds limit: size: {len(source.text)}, limit {_LONGEST}"
        raise ParseErrors([Issue(-1, -1, why)])
    try:
        ast = _parsed(source, WITH_BINDINGS if bindings else MACROS)
    except TooManyNodes:
        raise ApiError(501, "NotImplemented", _TOO_MANY) from None
    if len(source.text) > _SHORT and ast.is_deeper_than(_DEEPEST):
        raise ApiError(501, "NotImplemented", _TOO_DEEP)
    return ast


def _parsed(source: Source, macros: Macros) -> Ast:
    tokens = read_tokens(source.text)
    builder = Builder(source, macros)
    try:
        return builder.ast(parse_plain(tokens, builder))
    except NotPlain:
        return _parse_any(source, tokens, macros)


def _parse_any(source: Source, tokens: Tokens, macros: Macros) -> Ast:
    """Parse an expression that the fast parser rejected, because it is invalid or deeply nested.

    `tokens` are the tokens of `source`, and `macros` are the macros that the expression can use. Raises ParseErrors if
    the expression is invalid.
    """
    builder = Builder(source, macros)
    parser = RecoveringParser(source, tokens, automaton(), Predictor(automaton()))
    try:
        root = Visitor(builder).expression(parser.parse())
    except Abandoned:
        raise ParseErrors([*parser.issues, *builder.issues]) from None
    if issues := [*parser.issues, *builder.issues]:
        raise ParseErrors(issues)
    return builder.ast(root)
