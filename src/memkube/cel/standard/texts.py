"""Functions of texts, and sizes (``common/types/string.go``)."""

from typing import Final

from memkube.cel.declarations import Implementations
from memkube.cel.errors import no_such_overload
from memkube.cel.libraries.standard import FUNCTIONS as DECLARED
from memkube.cel.regular_expressions import compiled
from memkube.cel.values import ListValue, MapValue, Value


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
    """Whether the pattern is found in the text. Raises EvaluationError."""
    if not isinstance(text, str):
        raise no_such_overload("matches")
    if not isinstance(pattern, str):
        raise no_such_overload()
    return compiled(pattern).search(text) is not None


def _size(value: Value) -> Value:
    if isinstance(value, str | bytes | list | dict | ListValue | MapValue):
        return len(value)
    raise no_such_overload("size")


_BY_NAME: Final = {
    "contains": _contains,
    "endsWith": _ends_with,
    "startsWith": _starts_with,
    "matches": matches,
    "size": _size,
}
TEXTS: Final[Implementations] = {name: dict.fromkeys(DECLARED[name], function) for name, function in _BY_NAME.items()}
"""Each tells kinds apart by itself."""
