"""Nodes of a YAML document, and the parser's errors in go-yaml's wording.

Only the first document of a stream is read. Plain scalars get their types by the rules of YAML 1.1. Source:
go.yaml.in/yaml/v2 (decode.go, resolve.go).
"""

import re
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from memkube.apimachinery.decoding.errors import DecodeError

if TYPE_CHECKING:
    import yaml

TAGS: Final = "tag:yaml.org,2002:"

_WORDS: Final[dict[str, tuple[str, Any]]] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), ("bool", True)),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), ("bool", False)),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), ("null", None)),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), ("float", float("nan"))),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), ("float", float("inf"))),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), ("float", float("-inf"))),
    "<<": ("merge", "<<"),
}
_RESOLVED_TAGS: Final = frozenset(("", "str", "bool", "int", "float", "null", "timestamp"))
_INTEGER: Final = re.compile(r"([-+]?)(0[xX][0-9a-fA-F]+|0[oO]?[0-7]+|0[bB][01]+|[1-9][0-9]*|0)")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_TIMESTAMP: Final = re.compile(
    r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
    r"(?:[Tt][0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:[.,][0-9]+)?(?:Z|[-+][0-9]{2}:[0-9]{2})"
    r"| +[0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:[.,][0-9]+)?)?"
)
_LONGEST_NUMBER: Final = 400
MAX_DEPTH: Final = 200
"""Maximum nesting depth of a YAML document. Deeper data cannot be serialised as JSON."""


def resolve_scalar(tag: str, text: str) -> Any:
    """Return the value of a plain or tagged scalar; `tag` is its full tag, or "" if it has none.

    Raises DecodeError if the text does not match the tag.
    """
    wanted = tag.removeprefix(TAGS)
    if wanted == "binary":
        return _binary(text)
    if wanted not in _RESOLVED_TAGS or wanted == "str":
        return text
    found, value = _untagged(text)
    if wanted == "float" and found == "int":
        return float(value)
    if wanted not in ("", found):
        raise DecodeError(f"yaml: cannot decode !!{found} `{text}` as a !!{wanted}")
    return value


def _untagged(text: str) -> tuple[str, Any]:
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return "str", text
    if _TIMESTAMP.fullmatch(text):
        return "timestamp", text
    digits = text.replace("_", "") if text[0] != "." else text
    if len(digits) > _LONGEST_NUMBER:
        return "str", text
    integer = _integer(digits)
    if integer is not None:
        return "int", integer
    if _FLOAT.fullmatch(digits):
        number = float(digits)
        return ("str", text) if number in (float("inf"), float("-inf")) else ("float", number)
    return "str", text


def _integer(digits: str) -> int | None:
    match = _INTEGER.fullmatch(digits)
    if match is None:
        return None
    sign, number = match.groups()
    octal = len(number) > 1 and number[0] == "0" and number[1] in "01234567"
    value = int(number, 8 if octal else 0)
    value = -value if sign == "-" else value
    return value if -(2**63) <= value < 2**64 and not (sign == "+" and value >= 2**63) else None


def _binary(text: str) -> str:
    try:
        return b64decode(text, validate=False).decode("utf-8", "replace")
    except (Base64Error, ValueError) as error:
        raise DecodeError("yaml: !!binary value contains invalid base64 data") from error


@dataclass(slots=True, eq=False)
class ScalarNode:
    """A YAML scalar; `plain` is true if it is unquoted, so that its type follows from its text."""

    line: int
    text: str
    tag: str
    plain: bool


@dataclass(slots=True, eq=False)
class SequenceNode:
    """A YAML sequence."""

    line: int
    children: list["Node"] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class MappingNode:
    """A YAML mapping; `children` alternates keys and values."""

    line: int
    children: list["Node"] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class AliasNode:
    """A YAML alias such as ``*name``, which stands for the node with the anchor ``&name``."""

    line: int
    name: str
    target: "Node"


Node: TypeAlias = ScalarNode | SequenceNode | MappingNode | AliasNode


def compose(body: bytes) -> Node | None:
    """Return the root node of the first YAML document; None if the text has no document.

    Raises DecodeError for invalid YAML.
    """
    import yaml  # noqa: PLC0415  imported on first use, because many servers receive no YAML

    try:
        return _Composer().compose(yaml.parse(body, Loader=yaml.CLoader))
    except yaml.MarkedYAMLError as error:
        raise DecodeError(_worded(error)) from error
    except yaml.reader.ReaderError as error:
        raise DecodeError(f"yaml: {error.reason}") from error
    except (ValueError, TypeError, RecursionError) as error:
        raise DecodeError("yaml: control characters are not allowed") from error


class _Composer:
    """Builds nodes from the events of the YAML parser, without recursion."""

    def __init__(self) -> None:
        self.root: Node | None = None
        self.open: list[SequenceNode | MappingNode] = []
        self.anchors: dict[str, Node] = {}

    def compose(self, events: "Iterator[yaml.Event]") -> Node | None:
        import yaml  # noqa: PLC0415  see `compose`

        for event in events:
            if isinstance(event, yaml.DocumentEndEvent):
                break
            if isinstance(event, yaml.CollectionEndEvent):
                self.open.pop()
            elif isinstance(event, yaml.NodeEvent):
                self.add(event)
        return self.root

    def add(self, event: "yaml.NodeEvent") -> None:
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

    def node(self, event: "yaml.NodeEvent") -> Node:
        import yaml  # noqa: PLC0415  see `compose`

        line = event.start_mark.line + 1 if event.start_mark else 0
        if isinstance(event, yaml.AliasEvent):
            name = event.anchor or ""
            if name not in self.anchors:
                raise DecodeError(f"yaml: unknown anchor '{name}' referenced")
            return AliasNode(line, name, self.anchors[name])
        if isinstance(event, yaml.ScalarEvent):
            return ScalarNode(line, event.value, event.tag or "", bool(event.implicit[0]))
        return SequenceNode(line) if isinstance(event, yaml.SequenceStartEvent) else MappingNode(line)


def _worded(error: "yaml.MarkedYAMLError") -> str:
    import yaml  # noqa: PLC0415  see `compose`

    line = error.problem_mark.line if error.problem_mark else 0
    if line:
        line += isinstance(error, yaml.scanner.ScannerError)
    elif error.context_mark:
        line = error.context_mark.line
    where = f"line {line}: " if line else ""
    return f"yaml: {where}{error.problem or 'unknown problem parsing YAML content'}"
