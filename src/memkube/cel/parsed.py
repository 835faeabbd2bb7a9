"""Reader of the syntax tree that the parser returns as a ``cel.expr.ParsedExpr`` protobuf message."""

import struct
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Final, TypeAlias

from memkube.apimachinery.protobuf.wire import BYTES, VARINT, WireReader, signed
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

_INT64: Final = 64
_ACCUMULATOR: Final = "@result"
_Fields: TypeAlias = dict[int, list[int | bytes]]


class InvalidVariableName(Exception):
    """Raised if the variable of a macro is not a simple name; `offset` is the variable's position in the text."""

    def __init__(self, offset: int) -> None:
        super().__init__(offset)
        self.offset = offset


def read_parsed(serialized: bytes, text: str) -> Ast:
    """Read the syntax tree from a ``google.protobuf.Any`` that contains a ``cel.expr.ParsedExpr``.

    Raises InvalidVariableName if the variable of an exists_one macro is not a simple name.
    """
    parsed = _fields(_last(_fields(serialized), 2))
    offsets = dict(map(_position, _fields(_last(parsed, 3)).get(4, ())))
    return Ast(_Reader(offsets, text).expr(_last(parsed, 2)), offsets)


def _fields(message: int | bytes) -> _Fields:
    assert isinstance(message, bytes)
    reader = WireReader(message)
    found: _Fields = {}
    while reader.more:
        number, wire_type = reader.tag("Expr")
        if wire_type == BYTES:
            value: int | bytes = reader.block()
        else:
            value = reader.varint() if wire_type == VARINT else reader.fixed(8)
        found.setdefault(number, []).append(value)
    return found


def _position(entry: int | bytes) -> tuple[int, int]:
    """Read a map entry of a node id (field 1, the key) and its offset in the text (field 2, the value)."""
    assert isinstance(entry, bytes)
    found = [0, 0]
    reader = WireReader(entry)
    while reader.more:
        number = reader.varint() >> 3
        found[number - 1] = reader.varint()
    return found[0], found[1]


def _last(fields: _Fields, number: int) -> bytes:
    value = fields[number][-1] if number in fields else b""
    assert isinstance(value, bytes)
    return value


def _number(fields: _Fields, number: int) -> int:
    value = fields[number][-1] if number in fields else 0
    assert isinstance(value, int)
    return value


def _text(fields: _Fields, number: int) -> str:
    return _last(fields, number).decode()


def _constant(fields: _Fields) -> Constant:
    ((number, values),) = fields.items()
    value = values[-1]
    if isinstance(value, int):
        if number == 1:
            return None
        if number == 2:
            return bool(value)
        return signed(value, _INT64) if number == 3 else Unsigned(value)
    if number == 5:
        double: float = struct.unpack("<d", value)[0]
        return double
    return value.decode() if number == 6 else value


class _Reader:
    """Converts protobuf messages of the parser into nodes of the syntax tree.

    The parser does not expand all macros. Nodes of macros that are expanded here get new ids, and the offsets of
    existing nodes.
    """

    def __init__(self, offsets: dict[int, int], text: str) -> None:
        self._offsets = offsets
        self._text = text
        self._ids = count(max(offsets, default=0) + 1)

    def expr(self, message: int | bytes) -> Expr:
        fields = _fields(message)
        node_id = _number(fields, 2)
        if 3 in fields:
            return Literal(node_id, _constant(_fields(_last(fields, 3))))
        if 4 in fields:
            return Ident(node_id, _text(_fields(_last(fields, 4)), 1))
        kinds: tuple[tuple[int, Callable[[int, _Fields], Expr]], ...] = (
            (5, self._select),
            (6, self._call),
            (7, self._list),
            (8, self._struct),
            (9, self._comprehension),
        )
        for number, read in kinds:
            if number in fields:
                return read(node_id, _fields(_last(fields, number)))
        raise ValueError("unknown kind of expression")

    def _select(self, node_id: int, fields: _Fields) -> Expr:
        return Select(node_id, self.expr(_last(fields, 1)), _text(fields, 2), bool(_number(fields, 3)))

    def _call(self, node_id: int, fields: _Fields) -> Expr:
        target = self.expr(_last(fields, 1)) if 1 in fields else None
        arguments = [self.expr(argument) for argument in fields.get(3, ())]
        function = _text(fields, 2)
        # The C++ parser expands exists_one only with one variable and existsOne only with two; cel-go expands both
        # names with either number.
        if target is not None and (function, len(arguments)) in (("existsOne", 2), ("exists_one", 3)):
            return self._exists_one(node_id, target, arguments)
        return Call(node_id, function, target, arguments)

    def _exists_one(self, node_id: int, target: Expr, arguments: list[Expr]) -> Expr:
        *variables, predicate = arguments
        names: list[str] = []
        for variable in variables:
            if not isinstance(variable, Ident):
                raise InvalidVariableName(self._offsets[variable.id])
            names.append(variable.name)
        first, second = [*names, ""][:2]
        new = partial(self._new_id, node_id)
        more = Call(new(), "_+_", None, [Ident(new(), _ACCUMULATOR), Literal(new(), 1)])
        step = Call(new(), "_?_:_", None, [predicate, more, Ident(new(), _ACCUMULATOR)])
        result = Call(new(), "_==_", None, [Ident(new(), _ACCUMULATOR), Literal(new(), 1)])
        none, always = Literal(new(), 0), Literal(new(), True)
        return Comprehension(node_id, first, second, target, _ACCUMULATOR, none, always, step, result)

    def _new_id(self, place: int) -> int:
        new = next(self._ids)
        self._offsets[new] = self._offsets[place]
        return new

    def _list(self, node_id: int, fields: _Fields) -> Expr:
        packed = WireReader(_last(fields, 2))
        optional = set()
        while packed.more:
            optional.add(packed.varint())
        return ListOf(node_id, [self.expr(item) for item in fields.get(1, ())], frozenset(optional))

    def _struct(self, node_id: int, fields: _Fields) -> Expr:
        entries = [self._entry(_fields(entry)) for entry in fields.get(2, ())]
        if 1 not in fields:
            return MapOf(node_id, entries)
        # cel-go reports an object literal at its brace instead of its name.
        self._offsets[node_id] = self._text.index("{", self._offsets[node_id])
        return Struct(node_id, _text(fields, 1), entries)

    def _entry(self, fields: _Fields) -> Entry:
        key = self.expr(_last(fields, 3)) if 3 in fields else _text(fields, 2)
        return Entry(_number(fields, 1), key, self.expr(_last(fields, 4)), bool(_number(fields, 5)))

    def _comprehension(self, node_id: int, fields: _Fields) -> Expr:
        return Comprehension(
            node_id,
            _text(fields, 1),
            _text(fields, 8),
            self.expr(_last(fields, 2)),
            _text(fields, 3),
            self.expr(_last(fields, 4)),
            self.expr(_last(fields, 5)),
            self.expr(_last(fields, 6)),
            self.expr(_last(fields, 7)),
        )
