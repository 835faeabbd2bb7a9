"""Planner: compiles a checked syntax tree into Python closures (cel-go's ``interpreter/planner.go``)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from memkube.cel.declarations import Resolved
from memkube.cel.errors import InstantiationError
from memkube.cel.evaluation import aggregates, logic
from memkube.cel.evaluation.attributes import (
    ConditionalAttribute,
    RelativeAttribute,
    accumulator,
    as_step,
    attribute_of,
    loop_variable,
    presence_step,
    variable,
)
from memkube.cel.evaluation.calls import call
from memkube.cel.evaluation.loops import Loop
from memkube.cel.evaluation.qualifiers import Qualifier, constant_qualifier, dynamic_qualifier, presence_qualifier
from memkube.cel.evaluation.steps import Run, Step, constant, fold
from memkube.cel.library import Library
from memkube.cel.syntax import Call, Comprehension, Expr, Ident, ListOf, Literal, MapOf, Select, Struct
from memkube.cel.types import DYN, Type
from memkube.cel.values import TypeValue, Value

Construct: TypeAlias = Callable[[str, dict[str, Value]], Value]
"""Function that creates an object from its type name and its fields. Raises EvaluationError for invalid fields."""

_CONVERSIONS = frozenset({"bool", "bytes", "double", "dyn", "duration", "int", "string", "timestamp", "type", "uint"})
_TYPES = frozenset({"bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint"})
_NOT_FALSE = ("@not_strictly_false", "__not_strictly_false__")
_MEMBERSHIP = ("@in", "_in_", "in")


@dataclass(frozen=True, slots=True)
class _Scope:
    """The comprehension variables that a part of an expression can use, by name.

    `names` has the functions that read them. `growing` has the Frame slots of accumulators that may be modified in
    place.
    """

    names: Mapping[str, Run]
    growing: Mapping[str, int]

    def inside(self, names: Mapping[str, Run], growing: Mapping[str, int]) -> "_Scope":
        kept = {name: slot for name, slot in self.growing.items() if name not in names}
        return _Scope({**self.names, **names}, {**kept, **growing})


class Planner:
    """Compiles the syntax tree of one expression.

    The method `plan` does this; it raises InstantiationError if a constant is invalid or a function has no
    implementation. Afterwards, `slots` is the number of comprehension variables for which a Frame needs a slot.
    """

    def __init__(
        self,
        types: Mapping[int, Type],
        resolved: Mapping[int, Resolved],
        library: Library,
        construct: Construct | None,
    ) -> None:
        self.slots = 0
        self._types = types
        self._resolved = resolved
        self._library = library
        self._construct = construct
        self._scope = _Scope({}, {})

    def plan(self, node: Expr) -> Step:
        """Return the compiled form (Step) of this node of the syntax tree, which evaluates the node."""
        match node:
            case Literal(value=value):
                return constant(value)
            case Ident(name=name):
                return self._named(node, name)
            case Select():
                return self._select(node)
            case Call():
                return self._call(node)
            case ListOf():
                return aggregates.list_of([self.plan(item) for item in node.items], node.optional)
            case MapOf():
                return self._map(node)
            case Struct():
                return self._struct(node)
            case Comprehension():
                return self._comprehension(node)

    def _named(self, node: Expr, name: str) -> Step:
        # As in cel-go, a name with a leading dot, such as `.x`, can also refer to a comprehension variable.
        plain = name.removeprefix(".")
        local = self._scope.names.get(plain)
        found = self._types.get(node.id, DYN)
        if found.kind == "type":
            if local is not None:
                return _type_named(plain)
            return constant(TypeValue(found.parameters[0].name if found.parameters else "type"))
        return as_step(RelativeAttribute(variable(plain) if local is None else local))

    def _select(self, node: Select) -> Step:
        if node.id in self._resolved:
            return self._named(node, self._resolved[node.id].name)
        way = attribute_of(self.plan(node.operand))
        if node.test:
            return presence_step(way.then(presence_qualifier(node.field)))
        return as_step(way.then(constant_qualifier(node.field, optional=False)))

    def _call(self, node: Call) -> Step:
        resolved = self._resolved.get(node.id) or Resolved(node.function, (), member=node.target is not None)
        parts = list(node.arguments)
        if resolved.member:
            assert node.target is not None
            parts.insert(0, node.target)
        steps = [self.plan(part) for part in parts]
        return self._special(resolved, parts, steps) or self._function(resolved, steps)

    def _special(self, resolved: Resolved, parts: list[Expr], steps: list[Step]) -> Step | None:
        match resolved.name:
            case "_&&_":
                return logic.conjunction(*steps)
            case "_||_":
                return logic.disjunction(*steps)
            case "_?_:_":
                return as_step(ConditionalAttribute(steps[0].run, attribute_of(steps[1]), attribute_of(steps[2])))
            case "_==_":
                return logic.equality(*steps, negated=False)
            case "_!=_":
                return logic.equality(*steps, negated=True)
            case "_[_]" | "_[?_]" | "_?._":
                return self._index(steps[0], steps[1], optional=resolved.name != "_[_]")
            case "or" if len(steps) == 2:
                return logic.or_optional(*steps)
            case "orValue" if len(steps) == 2:
                return logic.or_value(*steps)
            case name if name in _NOT_FALSE:
                return logic.not_strictly_false(steps[0])
            case name if name in _MEMBERSHIP and [one.arguments[1].kind for one in resolved.overloads] == ["list"]:
                return logic.membership(*steps)
            case "_+_" | "cel.@mapInsert":
                return self._in_place_addition(resolved.name, parts, steps)
        return None

    def _in_place_addition(self, name: str, parts: list[Expr], steps: list[Step]) -> Step | None:
        """Return the compiled form (Step) of a call that adds to a list or map in place.

        `name` is the called function, ``_+_`` or ``cel.@mapInsert``. `parts` are the operands, and `steps` evaluate
        them. Returns None unless the first operand is an accumulator of a comprehension that may be modified in place.
        """
        first = parts[0]
        if not isinstance(first, Ident) or first.name not in self._scope.growing:
            return None
        if name == "_+_":
            return aggregates.extended(steps[0], steps[1])
        return aggregates.inserted(steps[0], steps[1], steps[2]) if len(steps) == 3 else None

    def _index(self, holder: Step, key: Step, *, optional: bool) -> Step:
        return as_step(attribute_of(holder).then(self._qualifier(key, optional)))

    def _qualifier(self, key: Step, optional: bool) -> Qualifier:
        if key.is_constant:
            return constant_qualifier(key.constant, optional=optional)
        if key.attribute is not None:
            return dynamic_qualifier(key.attribute.resolver(), optional=optional)
        return dynamic_qualifier(key.run, optional=optional)

    def _function(self, resolved: Resolved, steps: list[Step]) -> Step:
        step = call(resolved, steps, self._library)
        if resolved.name in _CONVERSIONS and len(steps) == 1 and steps[0].is_constant:
            return fold(step)
        return step

    def _map(self, node: MapOf) -> Step:
        entries: list[tuple[Step, Step, bool]] = []
        for entry in node.entries:
            assert not isinstance(entry.key, str)
            entries.append((self.plan(entry.key), self.plan(entry.value), entry.optional))
        return aggregates.map_of(entries)

    def _struct(self, node: Struct) -> Step:
        name = node.type_name.removeprefix(".")
        if self._construct is None:
            raise InstantiationError(f"unknown type: {node.type_name}")
        fields: list[tuple[str, Step, bool]] = []
        for entry in node.fields:
            assert isinstance(entry.key, str)
            fields.append((entry.key, self.plan(entry.value), entry.optional))
        return aggregates.object_of(name, fields, self._construct)

    def _slot(self) -> int:
        self.slots += 1
        return self.slots - 1

    def _comprehension(self, node: Comprehension) -> Step:
        ranged, initial = self.plan(node.range), self.plan(node.initial)
        gathered, first = self._slot(), self._slot()
        second = self._slot() if node.second_variable else None
        fresh = aggregates.fresh(initial)
        outside = self._scope
        growing = {} if fresh is None else {node.accumulator: gathered}
        begun = {node.accumulator: accumulator(gathered, fresh or initial.run)}
        variables = {node.variable: loop_variable(first)}
        if second is not None:
            variables[node.second_variable] = loop_variable(second)
        self._scope = outside.inside(begun, growing).inside(variables, {})
        condition, step = self.plan(node.condition), self.plan(node.step)
        self._scope = outside.inside(begun, growing)
        result = self.plan(node.result)
        self._scope = outside
        return Loop(ranged.run, condition, step.run, result.run).step(gathered, first, second)


def _type_named(name: str) -> Step:
    """Return the Step for a reference to a comprehension variable whose values are types; `name` is its name.

    cel-go does not read the value of such a variable, but looks up the variable's name as the name of a type: a
    variable ``int`` always stands for the type int. This function does the same. Raises InstantiationError if there is
    no type with this name.
    """
    if name not in _TYPES:
        raise InstantiationError(f"reference to undefined type: {name}")
    return constant(TypeValue(name))
