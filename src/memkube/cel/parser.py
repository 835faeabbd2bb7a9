"""Parsing with Google's C++ parser, whose messages are changed to those of cel-go."""

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from memkube.apimachinery.errors import ApiError
from memkube.cel.issues import Issue, Source
from memkube.cel.parsed import InvalidVariableName, read_parsed
from memkube.cel.syntax import Ast

if TYPE_CHECKING:
    from cel_expr_python import cel

_LONGEST: Final = 100_000
_EXTENSIONS: Final = ("two-var-comprehensions", "optional", "lists")
_issue: Final = re.compile(r"(?:INVALID_ARGUMENT: )?ERROR: <input>:(-?\d+):(-?\d+): (.*)").match
_NO_PARSER: Final = "CEL expressions are not supported: the package cel-expr-python is not available for this platform"
_TOO_DEEP: Final = "CEL expressions that are nested this deeply are not supported"
_too_deep: Final = re.compile(r"[Rr]ecursion (?:limit|depth)|recursion depth").search
_REWORDED: Final = (
    (re.compile(r"has\(\) argument must be a field selection"), "invalid argument to has() macro"),
    (re.compile(r"(?:map|filter)\(\) variable name must be a simple identifier"), "argument is not an identifier"),
    (
        re.compile(r"\b(?!opt|bind)\w+\(\) (?:first |second )?variable name must be a simple identifier"),
        "argument must be a simple name",
    ),
    (re.compile(r"cel\.bind\(\) variable name must.*"), "cel.bind() variable names must be simple identifiers"),
    (re.compile(r"invalid hex (u?int literal)"), r"invalid \1"),
    (re.compile(r"'\\u003F'"), "'?'"),
    (re.compile(r"Invalid bytes literal: Illegal escape.*"), "unable to unescape string"),
    (re.compile(r"Invalid string literal: Illegal escape.*"), "invalid unicode code point"),
)


class ParseErrors(Exception):
    """Raised if the text is not a valid expression; `issues` are the errors."""

    def __init__(self, issues: list[Issue]) -> None:
        super().__init__(issues)
        self.issues = issues


def parse(source: Source, *, bindings: bool = False) -> Ast:
    """Parse an expression; ``cel.bind`` is available if `bindings` is true.

    Raises ParseErrors for a syntax error, and ApiError (501) if the ``cel-expr-python`` package is not installed.
    """
    if len(source.text) > _LONGEST:
        why = f"expression code point size exceeds limit: size: {len(source.text)}, limit {_LONGEST}"
        raise ParseErrors([Issue(-1, -1, why)])
    try:
        parsed = _parser(bindings).compile(source.text, disable_check=True)
    except RuntimeError as error:
        raise _rejected(source, str(error)) from None
    try:
        ast = read_parsed(parsed.serialize(), source.text)
    except InvalidVariableName as error:
        raise ParseErrors([source.issue(error.offset, "argument must be a simple name")]) from None
    if escaped := ast.escaped_fields():
        raise ParseErrors([source.issue(ast.offsets[node.id] + 1, "unsupported syntax: '`'") for node in escaped])
    return ast


@cache
def _parser(bindings: bool) -> "cel.Env":
    try:
        from cel_expr_python import cel  # noqa: PLC0415 - imported on first use, to start faster
    except ImportError:
        raise ApiError(501, "NotImplemented", _NO_PARSER) from None
    extensions = (*_EXTENSIONS, "bindings") if bindings else _EXTENSIONS
    named = "".join(f"  - name: {extension}\n" for extension in extensions)
    return cel.NewEnv(config=cel.NewEnvConfigFromYaml(f"name: memkube\nextensions:\n{named}"))


def _rejected(source: Source, message: str) -> Exception:
    if _too_deep(message):
        return ApiError(501, "NotImplemented", _TOO_DEEP)
    issues = []
    for line in message.splitlines():
        # cel-go does not report errors that are caused by another error.
        if (found := _issue(line)) and "<<nil>> parsetree" not in line:
            text = found[3].removesuffix(" [INVALID_ARGUMENT]")
            for pattern, words in _REWORDED:
                text = pattern.sub(words, text)
            # For an empty expression cel-go reports column 0.
            column = int(found[2]) - 1 if source.text else -1
            issues.append(Issue(int(found[1]), column, text))
    return ParseErrors(issues) if issues else RuntimeError(message)
