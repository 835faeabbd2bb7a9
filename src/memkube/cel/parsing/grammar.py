"""The grammar of CEL expressions as data (cel-go's ``CEL.g4``)."""

from dataclasses import dataclass
from typing import Final, TypeAlias


@dataclass(frozen=True, slots=True)
class Terminal:
    """A grammar element that matches one token, whose kind is in `kinds`.

    `into` is the name of the token in the parse tree. Tokens under a name that ends with ``+`` form a list.
    """

    kinds: tuple[str, ...]
    into: str = ""


@dataclass(frozen=True, slots=True)
class Subrule:
    """A grammar element that matches the rule `rule`, with only its operators of at least the given `precedence`."""

    rule: str
    into: str = ""
    precedence: int = 0


@dataclass(frozen=True, slots=True)
class Alternative:
    """A sequence of grammar elements.

    `name` is the name of the alternative's node in the parse tree. `precedence` is the precedence of the alternative's
    operator; 0 if it has no operator.
    """

    elements: tuple["Element", ...]
    name: str = ""
    precedence: int = 0


@dataclass(frozen=True, slots=True)
class Block:
    """A grammar element that matches one of several alternatives.

    `repeat` is ``?``, ``*`` or ``+`` as in regular expressions, or "" for exactly once. The parser chooses the
    alternative by the next token or, if `predicted` is true, by as many tokens as necessary.
    """

    alternatives: tuple[Alternative, ...]
    repeat: str = ""
    predicted: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """A grammar rule, which matches `body`.

    A left-recursive rule also has `operators`: after `body`, it matches any number of operators with right operands.
    """

    body: Alternative
    operators: Block | None = None


Element: TypeAlias = Terminal | Subrule | Block


def _token(kind: str, into: str = "") -> Terminal:
    return Terminal((kind,), into)


def _repeated(repeat: str, *elements: Element, predicted: bool = False) -> Block:
    return Block((Alternative(elements),), repeat, predicted)


def _optional(*elements: Element) -> Block:
    return _repeated("?", *elements)


def _rule(*elements: Element) -> Rule:
    return Rule(Alternative(elements))


def _named(name: str, *elements: Element) -> Alternative:
    return Alternative(elements, name)


def _operator(name: str, precedence: int, *elements: Element) -> Alternative:
    return Alternative(elements, name, precedence)


def _chain(operand: str, operator: str) -> Rule:
    rest = _repeated("*", _token(operator, "operators+"), Subrule(operand, "terms+"))
    return _rule(Subrule(operand, "first"), rest)


def _pairs(key: str) -> Rule:
    pair = (Subrule(key, "keys+"), _token(":", "colons+"), Subrule("expr", "values+"))
    return _rule(*pair, _repeated("*", _token(","), *pair, predicted=True))


_RELATIONS: Final = ("==", "!=", "in", "<", "<=", ">=", ">")
_ARGUMENTS: Final = (_optional(Subrule("exprList", "arguments")), _token(")"))
_TRAILING: Final = _optional(_token(","))
_QUESTION: Final = _optional(_token("?", "optional"))
_DOT: Final = _optional(_token(".", "dot"))
_SIGN: Final = _optional(_token("-", "sign"))

RULES: Final[dict[str, Rule]] = {
    "start": _rule(Subrule("expr", "expr"), _token("<EOF>")),
    "expr": _rule(
        Subrule("conditionalOr", "condition"),
        _optional(
            _token("?", "operator"), Subrule("conditionalOr", "positive"), _token(":"), Subrule("expr", "negative")
        ),
    ),
    "conditionalOr": _chain("conditionalAnd", "||"),
    "conditionalAnd": _chain("relation", "&&"),
    "relation": Rule(
        Alternative((Subrule("calc", "only"),)),
        Block(
            (_operator("relation", 1, Terminal(_RELATIONS, "operator"), Subrule("relation", "right", 2)),), "*", True
        ),
    ),
    "calc": Rule(
        Alternative((Subrule("unary", "only"),)),
        Block(
            (
                _operator("calc", 2, Terminal(("*", "/", "%"), "operator"), Subrule("calc", "right", 3)),
                _operator("calc", 1, Terminal(("-", "+"), "operator"), Subrule("calc", "right", 2)),
            ),
            "*",
            True,
        ),
    ),
    "unary": _rule(
        Block(
            (
                _named("MemberExpr", Subrule("member", "only")),
                _named("LogicalNot", _repeated("+", _token("!", "operators+")), Subrule("member", "member")),
                _named(
                    "Negate", _repeated("+", _token("-", "operators+"), predicted=True), Subrule("member", "member")
                ),
            ),
            predicted=True,
        )
    ),
    "member": Rule(
        _named("PrimaryExpr", Subrule("primary", "only")),
        Block(
            (
                _operator("Select", 3, _token(".", "operator"), _QUESTION, Subrule("escapeIdent", "name")),
                _operator("MemberCall", 2, _token("."), _token("IDENTIFIER", "name"), _token("(", "open"), *_ARGUMENTS),
                _operator("Index", 1, _token("[", "operator"), _QUESTION, Subrule("expr", "index"), _token("]")),
            ),
            "*",
            True,
        ),
    ),
    "primary": _rule(
        Block(
            (
                _named("Ident", _DOT, _token("IDENTIFIER", "name")),
                _named("GlobalCall", _DOT, _token("IDENTIFIER", "name"), _token("(", "open"), *_ARGUMENTS),
                _named("Nested", _token("("), Subrule("expr", "only"), _token(")")),
                _named(
                    "CreateList", _token("[", "open"), _optional(Subrule("listInit", "items")), _TRAILING, _token("]")
                ),
                _named(
                    "CreateStruct",
                    *(_token("{", "open"), _optional(Subrule("mapInitializerList", "entries")), _TRAILING),
                    _token("}"),
                ),
                _named(
                    "CreateMessage",
                    *(_DOT, _token("IDENTIFIER", "names+")),
                    _repeated("*", _token("."), _token("IDENTIFIER", "names+")),
                    *(_token("{", "open"), _optional(Subrule("fieldInitializerList", "entries")), _TRAILING),
                    _token("}"),
                ),
                _named("ConstantLiteral", Subrule("literal", "only")),
            ),
            predicted=True,
        )
    ),
    "exprList": _rule(Subrule("expr", "items+"), _repeated("*", _token(","), Subrule("expr", "items+"))),
    "listInit": _rule(
        Subrule("optExpr", "items+"), _repeated("*", _token(","), Subrule("optExpr", "items+"), predicted=True)
    ),
    "fieldInitializerList": _pairs("optField"),
    "optField": _rule(_QUESTION, Subrule("escapeIdent", "name")),
    "mapInitializerList": _pairs("optExpr"),
    "escapeIdent": _rule(
        Block(
            (
                _named("SimpleIdentifier", _token("IDENTIFIER", "name")),
                _named("EscapedIdentifier", _token("ESC_IDENTIFIER", "name")),
            )
        )
    ),
    "optExpr": _rule(_QUESTION, Subrule("expr", "expr")),
    "literal": _rule(
        Block(
            (
                _named("Int", _SIGN, _token("NUM_INT", "token")),
                _named("Uint", _token("NUM_UINT", "token")),
                _named("Double", _SIGN, _token("NUM_FLOAT", "token")),
                _named("String", _token("STRING", "token")),
                _named("Bytes", _token("BYTES", "token")),
                _named("True", _token("true", "token")),
                _named("False", _token("false", "token")),
                _named("Null", _token("null", "token")),
            ),
            predicted=True,
        )
    ),
}
