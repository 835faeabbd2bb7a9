"""The nodes of a YAML document, and the complaints of its parser in go-yaml's words.

Only the first document of a stream is read. Source: go.yaml.in/yaml/v2 (decode.go).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import yaml

from memkube.apimachinery.decoding.errors import DecodeError

MAX_DEPTH: Final = 200
"""What is nested more deeply could not be written as JSON again."""


@dataclass(slots=True, eq=False)
class ScalarNode:
    """Text; ``plain`` where its form may decide about its type."""

    line: int
    text: str
    tag: str
    plain: bool


@dataclass(slots=True, eq=False)
class SequenceNode:
    """Items in their order."""

    line: int
    children: list["Node"] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class MappingNode:
    """Keys and values in turn."""

    line: int
    children: list["Node"] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class AliasNode:
    """A node given elsewhere."""

    line: int
    name: str
    target: "Node"


Node: TypeAlias = ScalarNode | SequenceNode | MappingNode | AliasNode


def compose(body: bytes) -> Node | None:
    """The root node of the first document, None where there is none. Raises DecodeError."""
    try:
        return _Composer().compose(yaml.parse(body, Loader=yaml.CLoader))
    except yaml.MarkedYAMLError as error:
        raise DecodeError(_worded(error)) from error
    except yaml.reader.ReaderError as error:
        raise DecodeError(f"yaml: {error.reason}") from error
    except (ValueError, TypeError, RecursionError) as error:
        raise DecodeError("yaml: control characters are not allowed") from error


class _Composer:
    """Builds nodes from events without recursion."""

    def __init__(self) -> None:
        self.root: Node | None = None
        self.open: list[SequenceNode | MappingNode] = []
        self.anchors: dict[str, Node] = {}

    def compose(self, events: Iterator[yaml.Event]) -> Node | None:
        for event in events:
            if isinstance(event, yaml.DocumentEndEvent):
                break
            if isinstance(event, yaml.CollectionEndEvent):
                self.open.pop()
            elif isinstance(event, yaml.NodeEvent):
                self.add(event)
        return self.root

    def add(self, event: yaml.NodeEvent) -> None:
        node = self.node(event)
        if self.open:
            self.open[-1].children.append(node)
        else:
            self.root = node
        if isinstance(node, SequenceNode | MappingNode):
            self.open.append(node)
            if len(self.open) > MAX_DEPTH:
                raise DecodeError(f"yaml: line {node.line}: exceeded max depth of 10000")
        if event.anchor and not isinstance(node, AliasNode):
            self.anchors[event.anchor] = node

    def node(self, event: yaml.NodeEvent) -> Node:
        line = event.start_mark.line + 1 if event.start_mark else 0
        if isinstance(event, yaml.AliasEvent):
            name = event.anchor or ""
            if name not in self.anchors:
                raise DecodeError(f"yaml: unknown anchor '{name}' referenced")
            return AliasNode(line, name, self.anchors[name])
        if isinstance(event, yaml.ScalarEvent):
            return ScalarNode(line, event.value, event.tag or "", bool(event.implicit[0]))
        return SequenceNode(line) if isinstance(event, yaml.SequenceStartEvent) else MappingNode(line)


def _worded(error: yaml.MarkedYAMLError) -> str:
    line = error.problem_mark.line if error.problem_mark else 0
    if line:
        line += isinstance(error, yaml.scanner.ScannerError)
    elif error.context_mark:
        line = error.context_mark.line
    where = f"line {line}: " if line else ""
    return f"yaml: {where}{error.problem or 'unknown problem parsing YAML content'}"
