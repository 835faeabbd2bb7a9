"""Cost estimate of a checked expression, in cel-go's units (``checker/cost.go``)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memkube.cel.costs.calls import ESTIMATES
from memkube.cel.costs.nodes import LIST, MAP, STRUCT, TRAVERSAL, CallArguments, Cost, Node, SizeOf
from memkube.cel.costs.operators import standard_cost
from memkube.cel.costs.ranges import MAX, ONE, UNKNOWN, ZERO, Range, exact
from memkube.cel.declarations import Overload, Resolved
from memkube.cel.syntax import Ast, Call, Comprehension, Expr, Ident, ListOf, Literal, MapOf, Select, Struct
from memkube.cel.types import DYN, Type
from memkube.cel.unification import unwrapped

_ACCUMULATORS = ("@result", "__result__")
_SCALARS = frozenset({"bool", "double", "duration", "int", "timestamp", "uint"})


@dataclass(frozen=True, slots=True)
class _Entries:
    """Estimated sizes of the keys and values in a map, or of the indexes and items in a list."""

    kind: str
    key: Range
    value: Range


@dataclass(frozen=True, slots=True)
class _Local:
    """What is known of a loop variable for cost estimates: its path, its size and the sizes of its entries."""

    path: tuple[str, ...]
    size: Range | None
    entries: _Entries | None = None


class _Coster:
    def __init__(self, types: Mapping[int, Type], resolved: Mapping[int, Resolved], size_of: SizeOf) -> None:
        self._types = types
        self._resolved = resolved
        self._size_of = size_of
        self._paths: dict[int, tuple[str, ...]] = {}
        self._sizes: dict[int, Range] = {}
        self._entries: dict[int, _Entries] = {}
        self._locals: dict[str, list[_Local]] = {}

    def cost(self, node: Expr) -> Range:
        match node:
            case Literal():
                return ZERO
            case Ident(name=name):
                return self._named(node, name.removeprefix("."))
            case Select():
                return self._select(node)
            case Call():
                return self._call(node)
            case ListOf():
                return self._list(node)
            case MapOf():
                return self._map(node)
            case Struct(fields=fields):
                return self._sum([field.value for field in fields]).plus(exact(STRUCT))
            case Comprehension():
                return self._bind(node) if _is_bind(node) else self._comprehension(node)

    def _sum(self, nodes: Sequence[Expr]) -> Range:
        total = ZERO
        for node in nodes:
            total = total.plus(self.cost(node))
        return total

    def _named(self, node: Expr, name: str) -> Range:
        local = self._local(name)
        self._paths[node.id] = (name,) if local is None else local.path
        return ONE

    def _local(self, name: str) -> _Local | None:
        known = self._locals.get(name)
        return known[-1] if known else None

    def _select(self, node: Select) -> Range:
        if node.id in self._resolved:
            return self._named(node, self._resolved[node.id].name)
        cost = self.cost(node.operand)
        if node.test:
            return cost
        if self._type(node.operand).kind in ("map", "struct", "param"):
            cost = cost.plus(ONE)
        self._paths[node.id] = (*self._path(node.operand), node.field)
        return cost

    def _type(self, node: Expr) -> Type:
        return self._types.get(node.id, DYN)

    def _path(self, node: Expr) -> tuple[str, ...]:
        if isinstance(node, Ident) and (local := self._local(node.name)) is not None:
            return local.path
        return self._paths.get(node.id, ())

    def _node(self, node: Expr) -> Node:
        path = self._path(node)
        if path and path[0] in _ACCUMULATORS:
            path = ()
        return Node(path, self._type(node), node, self._size(node), self._size_of)

    def _size(self, node: Expr) -> Range | None:
        if node.id in self._sizes:
            return self._sizes[node.id]
        if (written := _written_size(node)) is not None:
            return exact(written)
        known = self._size_of(self._path(node))
        if known is not None:
            self._sizes[node.id] = known
            return known
        if unwrapped(self._type(node))[0].kind in _SCALARS:
            return ONE
        local = self._local(node.name) if isinstance(node, Ident) else None
        return local.size if local is not None else None

    def _entries_of(self, node: Expr) -> _Entries | None:
        if node.id in self._entries:
            return self._entries[node.id]
        local = self._local(node.name) if isinstance(node, Ident) else None
        return local.entries if local is not None else None

    def _call(self, node: Call) -> Range:
        resolved = self._resolved.get(node.id, Resolved(node.function, (), member=False))
        if resolved.name == "dyn":
            (argument,) = node.arguments
            cost = self.cost(argument)
            self._copy(node, argument)
            return cost.plus(ONE)
        costs = [self.cost(argument) for argument in node.arguments]
        arguments = [self._node(argument) for argument in node.arguments]
        total, target = ZERO, None
        if resolved.member:
            assert node.target is not None
            total, target = self.cost(node.target), self._node(node.target)
        called, size = Range(MAX, 0), None
        for overload in resolved.overloads:
            given = CallArguments(overload, target, arguments)
            found = self._function(node, resolved.name, given, costs)
            called = called.union(found.cost)
            if found.size is not None:
                size = found.size if size is None else size.union(found.size)
            size = self._indexed(node, resolved.name, overload, size)
        if size is not None:
            self._sizes[node.id] = size
        return total.plus(called)

    def _indexed(self, node: Call, name: str, overload: Overload, size: Range | None) -> Range | None:
        kind = overload.arguments[0].kind if overload.arguments else ""
        if name == "_[_]" and kind in ("list", "map"):
            entries = self._entries_of(node.arguments[0])
            size = None if entries is None else entries.value
            self._paths[node.id] = (*self._path(node.arguments[0]), "@items" if kind == "list" else "@values")
        return self._size(node) if size is None else size

    def _function(self, node: Call, name: str, given: CallArguments, costs: Sequence[Range]) -> Cost:
        if name in ("_&&_", "_||_"):
            return Cost(Range(costs[0].min, costs[0].plus(costs[1]).max))
        if name == "_?_:_":
            return self._conditional(node, costs)
        total = ZERO
        for cost in costs:
            total = total.plus(cost)
        if name == "_+_" and given.overload.arguments[0].kind in ("string", "bytes", "list"):
            found = self._sum_of(node, given)
        else:
            estimate = ESTIMATES.get(name)
            found = (estimate(given) if estimate else None) or standard_cost(name, given)
        return Cost(found.cost.plus(total), found.size)

    def _conditional(self, node: Call, costs: Sequence[Range]) -> Cost:
        _, yes, no = node.arguments
        size = (self._size(yes) or UNKNOWN).union(self._size(no) or UNKNOWN)
        self._merge_entries(node, yes, no)
        return Cost(costs[0].plus(costs[1].union(costs[2])), size)

    def _sum_of(self, node: Call, given: CallArguments) -> Cost:
        one, other = node.arguments
        size = (self._size(one) or UNKNOWN).plus(self._size(other) or UNKNOWN)
        self._merge_entries(node, one, other)
        is_list = given.overload.arguments[0].kind == "list"
        return Cost(ONE if is_list else size.scaled(TRAVERSAL), size)

    def _merge_entries(self, node: Expr, one: Expr, other: Expr) -> None:
        first, second = self._entries_of(one), self._entries_of(other)
        if first is not None and second is not None:
            self._entries[node.id] = _Entries(first.kind, first.key.union(second.key), first.value.union(second.value))

    def _copy(self, node: Expr, source: Expr) -> None:
        size, entries = self._size(source), self._entries_of(source)
        if size is not None:
            self._sizes[node.id] = size
        if entries is not None:
            self._entries[node.id] = entries

    def _held(self, nodes: Sequence[Expr]) -> Range:
        held = Range(MAX if nodes else 0, 0)
        for node in nodes:
            held = held.union(self._size(node) or UNKNOWN)
        return held

    def _list(self, node: ListOf) -> Range:
        cost = self._sum(node.items).plus(exact(LIST))
        self._entries[node.id] = _Entries("list", ONE, self._held(node.items))
        return cost

    def _map(self, node: MapOf) -> Range:
        keys = [entry.key for entry in node.entries if not isinstance(entry.key, str)]
        values = [entry.value for entry in node.entries]
        cost = self._sum(keys).plus(self._sum(values)).plus(exact(MAP))
        self._entries[node.id] = _Entries("map", self._held(keys), self._held(values))
        return cost

    def _comprehension(self, node: Comprehension) -> Range:
        cost = self.cost(node.range).plus(self.cost(node.initial))
        self._push(node.accumulator, self._known(node.initial))
        variables = self._variables(node)
        for name, local in variables.items():
            self._push(name, local)
        turn = self.cost(node.condition)
        turn = self.cost(node.step).plus(turn)
        for name in variables:
            self._locals[name].pop()
        cost = cost.plus(self.cost(node.result))
        self._locals[node.accumulator].pop()
        count = self._size(node.range) or UNKNOWN
        if isinstance(node.initial, Literal):
            if (size := self._size(node.initial)) is not None:
                self._sizes[node.id] = size
        elif isinstance(node.initial, ListOf | MapOf):
            self._sizes[node.id] = count
            if (entries := self._entries_of(node.step)) is not None:
                self._entries[node.id] = entries
        return cost.plus(count.times(turn))

    def _known(self, node: Expr) -> _Local:
        return _Local(self._path(node), self._size(node), self._entries_of(node))

    def _push(self, name: str, local: _Local) -> None:
        self._locals.setdefault(name, []).append(local)

    def _variables(self, node: Comprehension) -> dict[str, _Local]:
        entries = self._entries_of(node.range)
        is_list = (entries.kind if entries is not None else self._type(node.range).kind) == "list"
        path = self._path(node.range)
        key = _Local((*path, "@indices" if is_list else "@keys"), entries.key if entries is not None else None)
        value = _Local((*path, "@items" if is_list else "@values"), entries.value if entries is not None else None)
        if node.second_variable:
            return {node.variable: key, node.second_variable: value}
        return {node.variable: value if is_list else key}

    def _bind(self, node: Comprehension) -> Range:
        cost = self.cost(node.range).plus(self.cost(node.initial))
        self._push(node.accumulator, self._known(node.initial))
        cost = cost.plus(self.cost(node.result))
        self._copy(node, node.result)
        self._locals[node.accumulator].pop()
        return cost


def _is_bind(node: Comprehension) -> bool:
    empty = isinstance(node.range, ListOf) and not node.range.items
    never = isinstance(node.condition, Literal) and node.condition.value is False
    return empty and never and node.accumulator not in _ACCUMULATORS


def _written_size(node: Expr) -> int | None:
    match node:
        case Literal(value=value):
            return len(value) if isinstance(value, str | bytes) else 1
        case ListOf(items=items):
            return len(items)
        case MapOf(entries=entries):
            return len(entries)
        case _:
            return None


def estimated_cost(ast: Ast, types: Mapping[int, Type], resolved: Mapping[int, Resolved], size_of: SizeOf) -> Range:
    """Return the minimum and maximum cost of a checked expression.

    `types` has the types of the nodes in `ast`, and `resolved` their functions and variables, by node id. The function
    `size_of` gets the path of a value, such as ``("self", "spec", "@items")``, and returns the range of the value's
    size; None if it does not know the size.
    """
    return _Coster(types, resolved, size_of).cost(ast.root)
