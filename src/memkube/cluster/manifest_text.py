"""The text of YAML and JSON documents in a file, and the positions of fields in the text."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeAlias

import yaml

Step: TypeAlias = str | int
"""One element of a field's path: a key of a mapping, or an index of a list."""

_separator: Final = re.compile(r"(?m)^---(?:[ \t].*)?\r?$")
_says_something: Final = re.compile(r"(?m)^[ \t]*[^#\s]").search
_surrogates: Final = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_item: Final = re.compile(r"\[(\d+)\]").match
_MOST_MERGES: Final = 20
_MOST_LEVELS: Final = 200
_scan_value: Final = json.JSONDecoder(strict=False).raw_decode


@dataclass(frozen=True, slots=True)
class Position:
    """A range of characters in a file. Lines and columns count from 1, columns in characters; the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True)
class DocumentText:
    """The text of one YAML or JSON document in a file."""

    source: str
    """Path of the file, or another description of the origin of the text, for messages."""
    text: str
    line: int
    """Line of the file at which `text` begins, counted from 1."""
    column: int = 1
    """Column of the file at which `text` begins, counted from 1."""
    is_json: bool = False

    @cached_property
    def first_line(self) -> int:
        """Number of the first line in the file that is neither empty nor a comment."""
        found = _says_something(self.text)
        return self.line + (self.text.count("\n", 0, found.end()) if found else 0)

    def position(self, *paths: str, within: tuple[Step, ...] = ()) -> Position:
        """Return the position in the file of a field of an object, such as ``spec.containers[0].image``.

        The object is the whole document, or the part of the document at the path `within`, such as an item of a List.
        If several `paths` are given, the one that leads furthest into the object is used. If the last part of the path
        does not exist, return the position of the innermost field on the path that does, or else the beginning of the
        object.
        """
        node = self._object(within)
        if node is None:
            return self._syntax_error or Position(self.first_line, 1, self.first_line, 1)
        ways = [(_deepest(node, path, 0), path) for path in paths]
        found, _ = min(ways, key=lambda way: len(way[1]) - way[0].length)
        return self._between(*found.marks) if found.key is not None else self._beginning(node)

    def value_position(self, value: str, within: tuple[Step, ...] = ()) -> Position | None:
        """Return the position of an object's first field with this value; None if the object has no such field.

        The object is the whole document, or the part of the document at the path `within`, such as an item of a List.
        Fields called name, namespace or kind are left out: they often have the value of another field by chance.
        """
        node = self._object(within)
        for key, scalar in _scalars(node, 0):
            if scalar.value == value and key.value not in ("name", "namespace", "kind"):
                return self._between(key.start_mark, scalar.end_mark)
        return None

    def position_at(self, at: int) -> Position:
        """Return the position in the file of the character at index `at` of the text."""
        line, begin = self.text.count("\n", 0, at), self.text.rfind("\n", 0, at) + 1
        column = at - begin + (self.column if line == 0 else 1)
        return Position(self.line + line, column, self.line + line, column)

    @cached_property
    def duplicates(self) -> list[tuple[str, Position]]:
        """Duplicate keys, each as the path of the key and the position of the repetition."""
        return [(path, self._between(key.start_mark, key.end_mark)) for path, key in _repeated(self._node[0], "", 0)]

    @property
    def syntax_position(self) -> Position:
        """Position of the YAML syntax error, or the beginning of the document if the error has no position."""
        return self._syntax_error or Position(self.first_line, 1, self.first_line, 1)

    def _object(self, within: tuple[Step, ...]) -> "yaml.Node | None":
        node = self._node[0]
        for step in within:
            node = _child(node, step)
        return node

    @cached_property
    def _node(self) -> "tuple[yaml.Node | None, yaml.Mark | None]":
        """The root node of the parsed YAML and None; or, for a syntax error, None and the error's position if known."""
        # YAML does not support escaped surrogate pairs, which JSON allows: replace them by text of the same length.
        text = _surrogates.sub("......", self.text) if self.is_json else self.text
        try:
            return yaml.compose(text, Loader=yaml.CSafeLoader), None
        except yaml.MarkedYAMLError as error:
            return None, error.problem_mark or error.context_mark
        except (yaml.YAMLError, ValueError, RecursionError):
            return None, None

    @property
    def _syntax_error(self) -> Position | None:
        mark = self._node[1]
        return None if mark is None else self._between(mark, mark)

    def _beginning(self, node: "yaml.Node") -> Position:
        first = node.value[0][0] if isinstance(node, yaml.MappingNode) and node.value else node
        return self._between(first.start_mark, first.start_mark)

    def _between(self, start: "yaml.Mark", end: "yaml.Mark") -> Position:
        if end.line > start.line and not end.column:
            # For a field whose value is a block, PyYAML reports an end in a later line. Report only the field's start
            # then.
            end = start
        return Position(*self._line_and_column(start), *self._line_and_column(end))

    def _line_and_column(self, mark: "yaml.Mark") -> tuple[int, int]:
        return self.line + mark.line, mark.column + (self.column if mark.line == 0 else 1)


def documents_in(text: str, source: str) -> Iterator[DocumentText]:
    """Yield the non-empty documents of a stream: YAML separated by ``---``, or consecutive JSON values.

    `source` is the name of the file with the stream.
    """
    begin = 0
    for end, next_begin in [*(found.span() for found in _separator.finditer(text)), (len(text), len(text))]:
        part, line = text[begin:end], text.count("\n", 0, begin) + 1
        begin = next_begin
        if _says_something(part) is None:
            continue
        yield from _json_values(part, source, line) or [DocumentText(source, part, line)]


def _json_values(part: str, source: str, line: int) -> list[DocumentText]:
    """Return the JSON objects in the text `part`, or an empty list if it contains anything else.

    `source` is the name of the file, and `line` the number of the line at which `part` begins.
    """
    values = []
    at = _space_behind(part, 0)
    while at < len(part):
        if part[at] != "{":
            return []
        try:
            _, end = _scan_value(part, at)
        except (ValueError, RecursionError):
            return []
        line_begin = part.rfind("\n", 0, at) + 1
        values.append(DocumentText(source, part[at:end], line + part.count("\n", 0, at), at - line_begin + 1, True))
        at = _space_behind(part, end)
    return values


def _space_behind(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


@dataclass(slots=True)
class _Found:
    """The longest part of a field path that the YAML contains: its length, and the key or list item found."""

    length: int
    key: "yaml.Node | None"
    value: "yaml.Node | None" = None

    @property
    def marks(self) -> "tuple[yaml.Mark, yaml.Mark]":
        """Start and end of the text to which an error about the field points.

        For a scalar field, this is the text of the key and the value; for another field, the text of the key; for a
        list item, its beginning.
        """
        assert self.key is not None
        if isinstance(self.value, yaml.ScalarNode):
            return self.key.start_mark, self.value.end_mark
        if self.key is self.value:
            return self.key.start_mark, self.key.start_mark
        return self.key.start_mark, self.key.end_mark


def _deepest(node: "yaml.Node", path: str, at: int) -> _Found:
    """Follow the field path ``path[at:]`` in parsed YAML as far as its fields exist, and return the last field found.

    The key in the result is None if not even the first field exists. Keys may contain dots and brackets, so all ways to
    split the path into keys are tried, and the one that leads furthest is taken.
    """
    best = _Found(at, None)
    if at >= len(path):
        return best
    for end, key, value in _ways(node, path, at):
        further = _deepest(value, path, end)
        found = further if further.key is not None else _Found(end, key, value)
        if found.length >= best.length:
            best = found
    return best


def _ways(node: "yaml.Node", path: str, at: int) -> "Iterator[tuple[int, yaml.Node, yaml.Node]]":
    if isinstance(node, yaml.SequenceNode):
        found = _item(path, at)
        if found is not None and int(found[1]) < len(node.value):
            item = node.value[int(found[1])]
            yield found.end(), item, item
        elif found is None and len(node.value) == 1:
            # Some validation errors omit the index of a list item. If the list has one item, the error is about that
            # item.
            yield at, node.value[0], node.value[0]
        return
    start = at + 1 if path[at] == "." else at
    for key, value in _members(node, 0):
        for text in (key.value, f"[{key.value}]", f'["{key.value}"]', f"['{key.value}']"):
            end = start + len(text)
            if text and path.startswith(text, start) and (end == len(path) or path[end] in ".["):
                yield end, key, value


def _members(node: "yaml.Node | None", depth: int) -> "Iterator[tuple[yaml.ScalarNode, yaml.Node]]":
    """Yield the keys and values of a YAML mapping: first those that ``<<`` merges into the mapping, then its own.

    `depth` is the number of nested merges so far; beyond a limit, nothing is yielded.
    """
    if not isinstance(node, yaml.MappingNode) or depth > _MOST_MERGES:
        return
    for key, value in node.value:
        if isinstance(key, yaml.ScalarNode) and key.value == "<<":
            for merged in value.value if isinstance(value, yaml.SequenceNode) else [value]:
                yield from _members(merged, depth + 1)
    for key, value in node.value:
        if isinstance(key, yaml.ScalarNode) and key.value != "<<":
            yield key, value


def _child(node: "yaml.Node | None", step: Step) -> "yaml.Node | None":
    if isinstance(step, int):
        return node.value[step] if isinstance(node, yaml.SequenceNode) and step < len(node.value) else None
    return next((value for key, value in reversed(list(_members(node, 0))) if key.value == step), None)


def _scalars(node: "yaml.Node | None", depth: int) -> "Iterator[tuple[Any, yaml.ScalarNode]]":
    """Yield a pair for each scalar in parsed YAML: the key of the field, and the scalar.

    A scalar in a list has no key; it is yielded in place of the key too. `depth` is the nesting depth of `node`; beyond
    a limit, nothing is yielded.
    """
    if depth > _MOST_LEVELS:
        return
    for key, value in _members(node, 0):
        for one in value.value if isinstance(value, yaml.SequenceNode) else [value]:
            if isinstance(one, yaml.ScalarNode):
                yield key if one is value else one, one
            else:
                yield from _scalars(one, depth + 1)


def _repeated(node: "yaml.Node | None", path: str, depth: int) -> "Iterator[tuple[str, yaml.Node]]":
    if depth > _MOST_LEVELS:
        return
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield from _repeated(item, f"{path}[{index}]", depth + 1)
    elif isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.value == "<<":
                continue
            here = f"{path}.{key.value}" if path else key.value
            if key.value in seen:
                yield here, key
            seen.add(key.value)
            yield from _repeated(value, here, depth + 1)
