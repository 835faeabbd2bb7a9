"""Standard functions of strings, and ``size`` (cel-go's ``common/types/string.go``)."""

from collections.abc import Mapping
from typing import Final

from memkube.cel.declarations import Function, same_for_all
from memkube.cel.errors import no_such_overload
from memkube.cel.libraries.standard import FUNCTIONS as DECLARED
from memkube.cel.regular_expressions import compiled
from memkube.cel.values import ListValue, MapValue, Value, unsupported


def _texts(one: Value, other: Value) -> tuple[str, str]:
    if isinstance(one, str) and isinstance(other, str):
        return one, other
    raise no_such_overload()


def _contains(text: Value, part: Value) -> Value:
    whole, inner = _texts(text, part)
    return inner in whole


def _ends_with(text: Value, part: Value) -> Value:
    whole, end = _texts(text, part)
    return whole.endswith(end)


def _starts_with(text: Value, part: Value) -> Value:
    whole, start = _texts(text, part)
    return whole.startswith(start)


def matches(text: Value, pattern: Value) -> Value:
    """True if the regular expression matches a part of the string. Raises EvaluationError if the pattern is invalid."""
    if not isinstance(text, str):
        raise unsupported("matches", text)
    if not isinstance(pattern, str):
        raise no_such_overload()
    return compiled(pattern).search(text) is not None


def _size(value: Value) -> Value:
    if isinstance(value, str | bytes | list | dict | ListValue | MapValue):
        return len(value)
    raise unsupported("size", value)


_BY_NAME: Final[Mapping[str, Function]] = {
    "contains": _contains,
    "endsWith": _ends_with,
    "startsWith": _starts_with,
    "matches": matches,
    "size": _size,
}
TEXTS: Final = same_for_all(DECLARED, _BY_NAME)
"""Implementations of the standard string functions and of ``size``. They check the types of their arguments."""
