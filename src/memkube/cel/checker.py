"""Type checker for parsed expressions (cel-go's ``checker/checker.go``)."""

from collections import ChainMap
from itertools import count

from memkube.cel.declarations import Declarations, Overload, Resolved
from memkube.cel.issues import Issue, Source
from memkube.cel.syntax import (
    Ast,
    Call,
    Comprehension,
    Entry,
    Expr,
    Ident,
    ListOf,
    Literal,
    MapOf,
    Select,
    Struct,
    qualified_name,
)
from memkube.cel.types import (
    BOOL,
    DYN,
    ERROR,
    INT,
    Type,
    list_of,
    map_of,
    optional_of,
    parameter,
    type_of_value,
)
from memkube.cel.unification import Mapping, assignable, assignable_list, most_general, substitute, unwrapped

_OPTIONAL_SELECT = "_?._"


class Checker:
    """Type checker for one syntax tree.

    After the check, `types` maps node ids to types, `issues` lists the type errors, and `resolved` maps the ids of
    calls and of qualified names to the functions or variables that they refer to.
    """

    def __init__(self, ast: Ast, source: Source, declarations: Declarations) -> None:
        self.types: dict[int, Type] = {}
        self.issues: list[Issue] = []
        self.resolved: dict[int, Resolved] = {}
        self._ast = ast
        self._source = source
        self._declared = declarations
        self._scopes: ChainMap[str, Type] = ChainMap({})
        self._mapping: Mapping = {}
        self._parameters = (parameter(f"_var{number}") for number in count())
        self._check(ast.root)
        self.types = {node: substitute(self._mapping, found, free_to_dyn=True) for node, found in self.types.items()}

    def _report(self, node_id: int, message: str) -> None:
        self.issues.append(self._source.issue(self._ast.offsets.get(node_id, 0), message))

    def _undeclared(self, node_id: int, name: str) -> Type:
        self._report(node_id, f"undeclared reference to '{name}' (in container '')")
        return ERROR

    def _mismatch(self, node: Expr, expected: Type, found: Type) -> None:
        self._report(node.id, f"expected type '{expected.checked}' but found '{found.checked}'")

    def _assignable(self, given: Type, wanted: Type) -> bool:
        mapping = assignable(self._mapping, given, wanted)
        if mapping is not None:
            self._mapping = mapping
        return mapping is not None

    def _now(self, found: Type) -> Type:
        return substitute(self._mapping, found, free_to_dyn=False)

    def _lookup(self, name: str) -> Type | None:
        plain = name.removeprefix(".")
        return self._scopes.get(plain) or self._declared.name(plain)

    def _check(self, node: Expr) -> Type:
        match node:
            case Literal(value=value):
                found = type_of_value(value)
            case Ident(name=name):
                found = self._lookup(name) or self._undeclared(node.id, name)
            case Select():
                found = self._select(node)
            case Call(function=function) if function == _OPTIONAL_SELECT:
                found = self._optional_select(node)
            case Call():
                found = self._call(node)
            case ListOf():
                found = self._list(node)
            case MapOf():
                found = self._map(node)
            case Struct():
                found = self._struct(node)
            case Comprehension():
                found = self._comprehension(node)
        self.types[node.id] = found
        return found

    def _select(self, node: Select) -> Type:
        name = qualified_name(node)
        if name is not None and (known := self._lookup(name)) is not None:
            self.resolved[node.id] = Resolved(name.removeprefix("."), (), member=False)
            return known
        found = self._field(node, node.operand, node.field, optional=False)
        return BOOL if node.test else self._now(found)

    def _optional_select(self, node: Call) -> Type:
        operand, field = node.arguments
        assert isinstance(field, Literal)
        assert isinstance(field.value, str)
        self.resolved[node.id] = Resolved(
            _OPTIONAL_SELECT, (self._declared.functions[_OPTIONAL_SELECT][0],), member=False
        )
        return self._now(self._field(node, operand, field.value, optional=True))

    def _field(self, node: Expr, operand: Expr, field: str, *, optional: bool) -> Type:
        target, was_optional = unwrapped(self._now(self._check(operand)))
        found = DYN
        match target.kind:
            case "map":
                found = target.parameters[1]
            case "struct":
                found = self._field_of(node.id, target.name, field) or ERROR
            case "param":
                # Bind the type parameter to dyn, so that no later use binds it to another type.
                self._assignable(DYN, target)
            case "dyn" | "any" | "error":
                pass
            case _:
                self._report(node.id, f"type '{target.checked}' does not support field selection")
        return optional_of(found) if was_optional or optional else found

    def _field_of(self, node_id: int, struct: str, field: str) -> Type | None:
        fields = self._declared.object_type(struct)
        if fields is None:
            self._report(node_id, f"unexpected failed resolution of '{struct}'")
            return None
        found = fields.field(field)
        if found is None:
            self._report(node_id, f"undefined field '{field}'")
        return found

    def _call(self, node: Call) -> Type:
        arguments = tuple([self._check(argument) for argument in node.arguments])
        if node.target is None:
            overloads = self._declared.function(node.function.removeprefix("."))
            if overloads is None:
                return self._undeclared(node.id, node.function)
            return self._resolve(node, node.function, overloads, arguments)
        prefix = qualified_name(node.target)
        if prefix is not None:
            name = f"{prefix.removeprefix('.')}.{node.function}"
            overloads = self._declared.function(name)
            if overloads is not None:
                return self._resolve(node, name, overloads, arguments)
        target = self._check(node.target)
        overloads = self._declared.function(node.function)
        if overloads is None:
            return self._undeclared(node.id, node.function)
        return self._resolve(node, node.function, overloads, (target, *arguments), member=True)

    def _resolve(
        self, node: Call, name: str, overloads: list[Overload], arguments: tuple[Type, ...], *, member: bool = False
    ) -> Type:
        if name in ("_&&_", "_||_"):
            self.resolved[node.id] = Resolved(name, tuple(overloads), member)
            return self._logical(node, arguments)
        result: Type | None = None
        fitting: list[Overload] = []
        for overload in overloads:
            if overload.member != member:
                continue
            fresh: Mapping = {parameter(letter): next(self._parameters) for letter in overload.parameters}
            wanted = tuple([substitute(fresh, one, free_to_dyn=False) for one in overload.arguments])
            mapping = assignable_list(self._mapping, arguments, wanted)
            if mapping is None:
                continue
            self._mapping = mapping
            fitting.append(overload)
            found = self._now(substitute(fresh, overload.result, free_to_dyn=False))
            if result is None:
                result = found
            elif not result.is_dyn and found != result:
                result = DYN
        self.resolved[node.id] = Resolved(name, tuple(fitting), member)
        return self._no_overload(node, name, arguments, member) if result is None else result

    def _logical(self, node: Call, arguments: tuple[Type, ...]) -> Type:
        result = BOOL
        for argument, found in zip(node.arguments, arguments, strict=True):
            if not self._assignable(found, BOOL):
                self._mismatch(argument, BOOL, found)
                result = ERROR
        return result

    def _no_overload(self, node: Call, name: str, arguments: tuple[Type, ...], member: bool) -> Type:
        written = [substitute(self._mapping, argument, free_to_dyn=True).checked for argument in arguments]
        target = f"{written.pop(0)}." if member else ""
        self._report(node.id, f"found no matching overload for '{name}' applied to '{target}({', '.join(written)})'")
        return ERROR

    def _joined(self, before: Type | None, found: Type) -> Type:
        # Elements of different types make the literal's element type dyn. The module `literals` reports such literals
        # later, except in the arguments of `format`, where they are allowed.
        if before is None:
            return found
        return most_general(before, found) if self._assignable(before, found) else DYN

    def _value(self, node: Expr, *, optional: bool) -> Type:
        """Return the type of an element of a list or map literal.

        For an element that is marked with ``?``, this is the type inside its optional type.
        """
        found = self.types[node.id]
        if not optional:
            return found
        held, is_optional = unwrapped(found)
        if not is_optional and not held.is_dyn:
            self._mismatch(node, optional_of(held), held)
        return held

    def _list(self, node: ListOf) -> Type:
        items: Type | None = None
        for index, item in enumerate(node.items):
            self._check(item)
            items = self._joined(items, self._value(item, optional=index in node.optional))
        return list_of(items or next(self._parameters))

    def _map(self, node: MapOf) -> Type:
        keys: Type | None = None
        values: Type | None = None
        for entry in node.entries:
            assert not isinstance(entry.key, str)
            keys = self._joined(keys, self._check(entry.key))
            self._check(entry.value)
            values = self._joined(values, self._value(entry.value, optional=entry.optional))
        return map_of(keys or next(self._parameters), values or next(self._parameters))

    def _struct(self, node: Struct) -> Type:
        name = node.type_name.removeprefix(".")
        known = self._lookup(name)
        if known is None:
            return self._undeclared(node.id, node.type_name)
        result = ERROR
        if known.kind not in ("error", "type"):
            self._report(node.id, f"'{known.name}' is not a type")
        elif known.parameters and known.parameters[0].kind == "struct":
            result = known.parameters[0]
        elif known.kind == "type":
            self._report(node.id, f"'{known.parameters[0].name if known.parameters else ''}' is not a message type")
        for entry in node.fields:
            self._check_field(entry, name)
        return result

    def _check_field(self, entry: Entry, struct: str) -> None:
        assert isinstance(entry.key, str)
        self._check(entry.value)
        wanted = self._field_of(entry.id, struct, entry.key) or ERROR
        found = self._value(entry.value, optional=entry.optional)
        if not self._assignable(wanted, found):
            known = f"expected type of field '{entry.key}' is '{wanted.checked}'"
            self._report(entry.id, f"{known} but provided type is '{found.checked}'")

    def _comprehension(self, node: Comprehension) -> Type:
        ranged = self._now(self._check(node.range))
        gathered = self._check(node.initial)
        outside = self._scopes
        self._scopes = outside.new_child({node.accumulator: gathered})
        first, second = self._variables(node, ranged)
        inner = {node.variable: first, node.second_variable: second} if node.second_variable else {node.variable: first}
        self._scopes = self._scopes.new_child(inner)
        self._demand(node.condition, BOOL)
        self._demand(node.step, gathered)
        self._scopes = self._scopes.parents
        result = self._check(node.result)
        self._scopes = outside
        return self._now(result)

    def _variables(self, node: Comprehension, ranged: Type) -> tuple[Type, Type]:
        match ranged.kind:
            case "list":
                item = ranged.parameters[0]
                return (INT, item) if node.second_variable else (item, item)
            case "map":
                return ranged.parameters[0], ranged.parameters[1]
            case "dyn" | "error" | "param":
                self._assignable(DYN, ranged)
                return DYN, DYN
            case _:
                why = "cannot be range of a comprehension (must be list, map, or dynamic)"
                self._report(node.range.id, f"expression of type '{ranged.checked}' {why}")
                return ERROR, ERROR

    def _demand(self, node: Expr, wanted: Type) -> None:
        found = self._check(node)
        if not self._assignable(wanted, found):
            self._mismatch(node, wanted, found)
