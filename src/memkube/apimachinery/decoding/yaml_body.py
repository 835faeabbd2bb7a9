"""YAML request bodies, converted to JSON data as in Kubernetes.

Only the first document of a stream is read. Plain scalars get their types by the rules of YAML 1.1. Keys are sorted,
because Kubernetes converts the YAML to a JSON text first. Source: sigs.k8s.io/yaml, and go.yaml.in/yaml/v2 (decode.go,
resolve.go).
"""

import math
import re
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import yaml

from memkube.apimachinery.decoding.errors import DecodeError
from memkube.apimachinery.decoding.json_body import refuse_deep_nesting
from memkube.apimachinery.shown_values import quoted

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
    """Return the Python value of a YAML scalar.

    `tag` is the full tag of the scalar, or "" for an unquoted scalar without a tag, whose type follows from its text.
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
    """A YAML sequence; `children` are its items."""

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
    try:
        return _Composer().compose(yaml.parse(body, Loader=yaml.CLoader))
    except yaml.MarkedYAMLError as error:
        raise DecodeError(_worded(error)) from error
    except yaml.reader.ReaderError as error:
        raise DecodeError(f"yaml: {error.reason}") from error
    except (ValueError, TypeError, RecursionError) as error:
        raise DecodeError("yaml: control characters are not allowed") from error


class _Composer:
    """Builds a tree of YAML nodes from the events of the YAML parser, without recursion."""

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


_ALIAS_RATIO_FROM: Final = 400_000
_ALIAS_RATIO_TO: Final = 4_000_000
_LARGEST_PLAIN_FLOAT: Final = 1e21


@dataclass(frozen=True)
class YamlBody:
    """Data of a YAML body, and messages about duplicate keys such as ``line 7: key "a" already set in map``."""

    data: Any
    duplicates: list[str] = field(default_factory=list)

    @property
    def strict_errors(self) -> list[str]:
        """Return the errors of strict field validation: one message about all duplicate keys, or an empty list."""
        return ["\n  ".join(["yaml: unmarshal errors:", *self.duplicates])] if self.duplicates else []


def parse_yaml(body: bytes) -> Any:
    """Parse the first document of a YAML body. Raises DecodeError with Kubernetes' message if it is malformed."""
    return read_yaml(body).data


def read_yaml(body: bytes) -> YamlBody:
    """Return the data of the first document of a YAML body and its duplicate keys, the last of which wins.

    Raises DecodeError with Kubernetes' message if the document is malformed.
    """
    root = compose(body)
    if root is None:
        return YamlBody(None)
    builder = _Builder()
    data = _json_data(builder.value(root))
    refuse_deep_nesting(data)
    return YamlBody(data, builder.duplicates)


class _Builder:
    """Converts YAML nodes to Python values.

    Counts steps, to reject documents that expand excessively through aliases.
    """

    def __init__(self) -> None:
        self.duplicates: list[str] = []
        self._steps = 0
        self._alias_steps = 0
        self._open_aliases: list[AliasNode] = []
        self._depth = 0

    def value(self, node: Node) -> Any:
        self._count()
        if isinstance(node, AliasNode):
            return self._aliased(node)
        if isinstance(node, ScalarNode):
            return resolve_scalar(node.tag, node.text) if node.plain or node.tag else node.text
        if self._depth >= MAX_DEPTH:
            raise DecodeError(f"yaml: line {node.line}: exceeded max depth of 10000")
        self._depth += 1
        value = self._sequence(node) if isinstance(node, SequenceNode) else self._mapping(node, {})
        self._depth -= 1
        return value

    def _count(self) -> None:
        self._steps += 1
        if not self._open_aliases:
            return
        self._alias_steps += 1
        counted_enough = self._alias_steps > 100 and self._steps > 1000
        if counted_enough and self._alias_steps / self._steps > _allowed_alias_ratio(self._steps):
            raise DecodeError("yaml: document contains excessive aliasing")

    def _aliased(self, node: AliasNode) -> Any:
        if node in self._open_aliases:
            raise DecodeError(f"yaml: anchor '{node.name}' value contains itself")
        if len(self._open_aliases) >= MAX_DEPTH:
            raise DecodeError(f"yaml: line {node.line}: exceeded max depth of 10000")
        self._open_aliases.append(node)
        value = self.value(node.target)
        self._open_aliases.pop()
        return value

    def _sequence(self, node: SequenceNode) -> list[Any]:
        return [self.value(child) for child in node.children]

    def _mapping(self, node: MappingNode, values: dict[Any, Any]) -> dict[Any, Any]:
        for key_node, value_node in zip(node.children[::2], node.children[1::2], strict=True):
            if _is_merge(key_node):
                self._merge(value_node, values)
                continue
            key = self.value(key_node)
            if isinstance(key, dict | list):
                raise DecodeError(f"yaml: invalid map key: {_go_syntax(key)}")
            value = self.value(value_node)
            typed_key = (type(key), key)
            if typed_key in values:
                self.duplicates.append(f"line {value_node.line}: key {_go_syntax(key)} already set in map")
            values[typed_key] = value
        return values

    def _merge(self, node: Node, values: dict[Any, Any]) -> None:
        sources = list(reversed(node.children)) if isinstance(node, SequenceNode) else [node]
        for source in sources:
            target = source.target if isinstance(source, AliasNode) else source
            if not isinstance(target, MappingNode):
                raise DecodeError("yaml: map merge requires map or sequence of maps as the value")
            if self._depth >= MAX_DEPTH:
                raise DecodeError(f"yaml: line {node.line}: exceeded max depth of 10000")
            self._depth += 1
            self._count()
            self._mapping(target, values)
            self._depth -= 1


def _is_merge(node: Node) -> bool:
    return isinstance(node, ScalarNode) and node.text == "<<" and (node.plain or node.tag == f"{TAGS}merge")


def _allowed_alias_ratio(steps: int) -> float:
    if steps <= _ALIAS_RATIO_FROM:
        return 0.99
    if steps >= _ALIAS_RATIO_TO:
        return 0.10
    return 0.99 - 0.89 * (steps - _ALIAS_RATIO_FROM) / (_ALIAS_RATIO_TO - _ALIAS_RATIO_FROM)


def _json_data(value: Any) -> Any:
    """Convert parsed YAML values to JSON data: keys become strings and are sorted, as in Kubernetes."""
    if isinstance(value, dict):
        converted = {_json_key(key, item): _json_data(item) for (_, key), item in value.items()}
        return dict(sorted(converted.items(), key=lambda member: member[0].encode("utf-8", "surrogatepass")))
    if isinstance(value, list):
        return [_json_data(item) for item in value]
    if isinstance(value, float):
        return _json_number(value)
    return value


def _json_number(value: float) -> int | float:
    if math.isnan(value) or math.isinf(value):
        name = "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"
        raise DecodeError(f"json: unsupported value: {name}")
    return int(value) if value.is_integer() and abs(value) < _LARGEST_PLAIN_FLOAT else value


def _json_key(key: Any, value: Any) -> str:
    if isinstance(key, str):
        return key
    if isinstance(key, bool):
        return "true" if key else "false"
    if key is None:
        raise DecodeError(f"unsupported map key of type: %!s(<nil>), key: <nil>, value: {_go_syntax(value)}")
    if isinstance(key, float):
        if math.isnan(key):
            return ".nan"
        return ".inf" if key == math.inf else "-.inf" if key == -math.inf else f"{key:.9g}"
    return str(key)


def _go_syntax(value: Any) -> str:
    """Format a YAML value as Go's ``%#v``."""
    if isinstance(value, dict):
        items = ", ".join(f"{_go_syntax(key)}:{_go_item(item)}" for (_, key), item in value.items())
        return f"map[interface {{}}]interface {{}}{{{items}}}"
    if isinstance(value, list):
        return f"[]interface {{}}{{{', '.join(map(_go_item, value))}}}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "<nil>"
    return quoted(value) if isinstance(value, str) else f"{value:g}" if isinstance(value, float) else str(value)


def _go_item(value: Any) -> str:
    return "interface {}(nil)" if value is None else _go_syntax(value)
