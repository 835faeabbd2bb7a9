"""Syntax trees as text, with the offset of each node behind ``@``."""

from memkube.cel.syntax import (
    Ast,
    Call,
    Comprehension,
    Constant,
    Entry,
    Expr,
    Ident,
    ListOf,
    Literal,
    MapOf,
    Select,
    Struct,
    Unsigned,
)


def written(ast: Ast) -> str:
    """The tree: calls as `function@offset(arguments)` with the receiver in brackets, selections as `.field@offset`."""
    return _Writer(ast).node(ast.root)


def _value(value: Constant) -> str:
    if value is None or isinstance(value, bool):
        return str(value).lower() if value is not None else "null"
    if isinstance(value, str):
        return ascii(value)
    return f"{value!r}u" if isinstance(value, Unsigned) else repr(value)


class _Writer:
    def __init__(self, ast: Ast) -> None:
        self._offsets = ast.offsets

    def node(self, node: Expr) -> str:
        at = f"@{self._offsets.get(node.id, '-')}"
        match node:
            case Literal(value=value):
                return _value(value) + at
            case Ident(name=name):
                return name + at
            case Select():
                return f"{'has' if node.test else ''}.{node.field}{at}({self.node(node.operand)})"
            case Call():
                target = "" if node.target is None else f"[{self.node(node.target)}]"
                return f"{node.function}{at}{target}({self._nodes(node.arguments)})"
            case ListOf():
                items = ["?" * (index in node.optional) + self.node(item) for index, item in enumerate(node.items)]
                return f"[{', '.join(items)}]{at}"
            case MapOf():
                return f"{{{self._entries(node.entries)}}}{at}"
            case Struct():
                return f"{node.type_name}{{{self._entries(node.fields)}}}{at}"
            case Comprehension():
                names = " ".join(filter(None, (node.variable, node.second_variable)))
                steps = self._nodes([node.condition, node.step, node.result])
                start = f"{node.accumulator} = {self.node(node.initial)}"
                return f"fold{at}({names} in {self.node(node.range)}, {start}, {steps})"

    def _nodes(self, nodes: list[Expr]) -> str:
        return ", ".join(map(self.node, nodes))

    def _entries(self, entries: list[Entry]) -> str:
        return ", ".join(
            f"{'?' * entry.optional}{entry.key if isinstance(entry.key, str) else self.node(entry.key)}"
            f":@{self._offsets[entry.id]} {self.node(entry.value)}"
            for entry in entries
        )
