"""Splitting of CEL expressions into tokens, and detection of text that ANTLR's lexer does not recognize."""

import re
from dataclasses import dataclass, field
from typing import Final, NamedTuple

EOF: Final = "<EOF>"
_OPERATORS: Final = ("==", "!=", "in", "<", "<=", ">=", ">", "&&", "||")
_PUNCTUATION: Final = ("[", "]", "{", "}", "(", ")", ".", ",", "-", "!", "?", ":", "+", "*", "/", "%")
_WORDS: Final = ("true", "false", "null")
_NAMED: Final = ("NUM_FLOAT", "NUM_INT", "NUM_UINT", "STRING", "BYTES", "IDENTIFIER", "ESC_IDENTIFIER")
# Error messages list token kinds in this order, which is that of cel-go's grammar.
KINDS: Final = (EOF, *_OPERATORS, *_PUNCTUATION, *_WORDS, *_NAMED)
_KEYWORDS: Final = frozenset({"in", *_WORDS})

_ESCAPE: Final = r"\\(?:[abfnrtv\"'\\?`]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7][0-7])"
_BEGUN_ESCAPE: Final = r"\\(?:[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|[0-3][0-7]?)?"
_STRING: Final = "|".join(
    (
        *(rf"[rR]{quotes}(?s:.*?){quotes}" for quotes in ('"""', "'''")),
        *(rf"[rR]{quote}[^{quote}\n\r]*{quote}" for quote in "\"'"),
        *(rf"{quotes}(?:{_ESCAPE}|[^\\])*?{quotes}" for quotes in ('"""', "'''")),
        *(rf"{quote}(?:{_ESCAPE}|[^\\{quote}\n\r])*+{quote}" for quote in "\"'"),
    )
)
_match: Final = re.compile(
    rf"""
    (?P<HIDDEN>[\t\ \r\n\f]++|//[^\n]*+)
    |(?P<STRING>{_STRING.replace(" ", "[ ]")})
    |(?P<BYTES>[bB](?:{_STRING}))
    |(?P<IDENTIFIER>[A-Za-z_][A-Za-z0-9_]*+)
    |(?P<NUM_FLOAT>[0-9]++(?:\.[0-9]++(?:[eE][+-]?[0-9]++)?|[eE][+-]?[0-9]++)|\.[0-9]++(?:[eE][+-]?[0-9]++)?)
    |(?P<NUM_UINT>(?:0x[0-9a-fA-F]++|[0-9]++)[uU])
    |(?P<NUM_INT>0x[0-9a-fA-F]++|[0-9]++)
    |(?P<OPERATOR>[=!<>]=|&&|\|\||[\[\]{{}}().,\-!?:+*/%<>])
    |(?P<ESC_IDENTIFIER>`[A-Za-z0-9_.\-/\ ]++`)
    """,
    re.VERBOSE,
).match
# Matches the longest text that begins a token without completing it.
_begun: Final = re.compile(
    "|".join(
        (
            *("=", "&", r"\|", r"`[A-Za-z0-9_.\-/ ]*"),
            *(rf"{quote}(?:{_ESCAPE}|[^\\{quote}\n\r])*(?:{_BEGUN_ESCAPE})?" for quote in "\"'"),
            "",
        )
    )
).match


class Token(NamedTuple):
    """A token: its kind (one of `KINDS`, or ``HIDDEN``), its offset in the expression and its text."""

    kind: str
    start: int
    text: str


class Unrecognized(NamedTuple):
    """Text that is not a token; `before` is the number of tokens before it, including white space and comments."""

    before: int
    start: int
    text: str


@dataclass(slots=True)
class Tokens:
    """The tokens of an expression, and its unrecognized text.

    `every` has all tokens, and `visible` those that are neither white space nor comments; both lists end with a token
    of kind `EOF`. `places` has the index in `every` for each token in `visible`.
    """

    every: list[Token] = field(default_factory=list)
    visible: list[Token] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    unrecognized: list[Unrecognized] = field(default_factory=list)


def read_tokens(text: str) -> Tokens:
    """Split an expression into tokens. Text that is no token is collected, and does not raise an error."""
    tokens = Tokens()
    every, visible, places = tokens.every, tokens.visible, tokens.places
    position, end = 0, len(text)
    while position < end:
        found = _match(text, position)
        if found is None:
            begun = _begun(text, position)
            assert begun is not None
            # The unrecognized text includes the first character that cannot continue the token.
            stop = begun.end() + 1
            tokens.unrecognized.append(Unrecognized(len(every), position, text[position:stop]))
            position = stop
            continue
        kind = found.lastgroup or ""
        matched = found[0]
        if kind == "OPERATOR" or (kind == "IDENTIFIER" and matched in _KEYWORDS):
            kind = matched
        token = Token(kind, position, matched)
        if kind != "HIDDEN":
            visible.append(token)
            places.append(len(every))
        every.append(token)
        position = found.end()
    token = Token(EOF, end, "")
    visible.append(token)
    places.append(len(every))
    every.append(token)
    return tokens
