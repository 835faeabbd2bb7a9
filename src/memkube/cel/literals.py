"""Checks of literals in type-checked expressions, such as regular expressions and the item types of lists.

Sources: cel-go's ``cel/validator.go`` and ``ext/formatting.go``.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from memkube.cel.errors import EvaluationError
from memkube.cel.format_strings import FormatError, check_format
from memkube.cel.issues import Issue, Source
from memkube.cel.regular_expressions import compiled
from memkube.cel.standard.conversions import duration_of, timestamp_of
from memkube.cel.syntax import Ast, Call, Constant, ListOf, Literal, MapOf
from memkube.cel.types import Type
from memkube.cel.unification import unwrapped

_READ: Final[Mapping[str, Callable[[Any], object]]] = {
    "duration": duration_of,
    "timestamp": timestamp_of,
    "matches": compiled,
}


def _is_read(function: str, value: Constant) -> bool:
    try:
        _READ[function](value)
    except EvaluationError:
        return False
    return True


class _Literals:
    def __init__(self, ast: Ast, source: Source, types: dict[int, Type]) -> None:
        self.issues: list[Issue] = []
        self._offsets = ast.offsets
        self._source = source
        self._types = types
        for node, in_format in ast.walk():
            if isinstance(node, Call):
                self._call(node)
            elif isinstance(node, ListOf) and not in_format:
                self._list(node)
            elif isinstance(node, MapOf) and not in_format:
                self._map(node)

    def _report(self, node_id: int, message: str) -> None:
        self.issues.append(self._source.issue(self._offsets.get(node_id, 0), message))

    def _call(self, call: Call) -> None:
        if call.function in _READ and call.arguments and isinstance(call.arguments[0], Literal):
            argument = call.arguments[0]
            if not _is_read(call.function, argument.value):
                self._report(argument.id, f"invalid {call.function} argument")
        elif call.function == "format" and isinstance(call.target, Literal) and isinstance(call.target.value, str):
            (items,) = call.arguments
            if isinstance(items, ListOf):
                self._format(call, call.target.value, items)

    def _format(self, call: Call, text: str, items: ListOf) -> None:
        try:
            asked = check_format(text, items.items, self._types)
        except FormatError as error:
            self._report(error.node or call.id, str(error))
            return
        if len(items.items) > asked:
            why = f"too many arguments supplied to string.format (expected {asked}, got {len(items.items)})"
            self._report(call.id, why)

    def _held(self, node_id: int, optional: bool) -> Type:
        found = self._types[node_id]
        return unwrapped(found)[0] if optional else found

    def _same(self, node_id: int, expected: Type, found: Type) -> bool:
        if expected == found:
            return True
        self._report(node_id, f"expected type '{expected.checked}' but found '{found.checked}'")
        return False

    def _list(self, node: ListOf) -> None:
        held = [self._held(item.id, index in node.optional) for index, item in enumerate(node.items)]
        for item, found in zip(node.items[1:], held[1:], strict=True):
            if not self._same(item.id, held[0], found):
                return

    def _map(self, node: MapOf) -> None:
        for entry in node.entries[1:]:
            first = node.entries[0]
            assert not isinstance(entry.key, str)
            assert not isinstance(first.key, str)
            self._same(entry.key.id, self._types[first.key.id], self._types[entry.key.id])
            expected, found = (self._held(one.value.id, one.optional) for one in (first, entry))
            self._same(entry.value.id, expected, found)


def literal_issues(ast: Ast, source: Source, types: dict[int, Type]) -> list[Issue]:
    """Return the errors in the literals of the expression `ast`. `types` has the types of its nodes by node id.

    Lists and maps must not have mixed types, and literal durations, timestamps, regular expressions and format strings
    must be valid.
    """
    return _Literals(ast, source, types).issues
