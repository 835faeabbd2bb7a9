"""YAML request bodies, converted to JSON data as in Kubernetes.

Keys are sorted, because Kubernetes converts the YAML to a JSON text first. Source: sigs.k8s.io/yaml and
go.yaml.in/yaml/v2.
"""

import math
from dataclasses import dataclass, field
from typing import Any, Final

from memkube.apimachinery.decoding.errors import DecodeError
from memkube.apimachinery.decoding.json_body import refuse_deep_nesting
from memkube.apimachinery.decoding.yaml_nodes import (
    MAX_DEPTH,
    TAGS,
    AliasNode,
    MappingNode,
    Node,
    ScalarNode,
    SequenceNode,
    compose,
    resolve_scalar,
)
from memkube.apimachinery.shown_values import quoted

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
    """Parse the first document of a YAML body and find its duplicate keys; the last of duplicate keys wins.

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
    """Convert parsed YAML values to JSON data, as Kubernetes does."""
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
