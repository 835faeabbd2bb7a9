"""Conversion of a parse tree to the syntax tree of an expression (cel-go's ``parser/parser.go``).

A parse tree has a node for each grammar rule that the parser entered.
"""

from collections.abc import Callable, Generator
from typing import Final, TypeAlias

from memkube.cel.issues import Issue
from memkube.cel.parsing.builder import NOWHERE, RESERVED, Builder
from memkube.cel.parsing.expressions import BINARY, literal_value
from memkube.cel.parsing.recovery import Abandoned, Tree
from memkube.cel.parsing.tokens import Token
from memkube.cel.parsing.values import InvalidLiteral
from memkube.cel.syntax import Call, Entry, Expr, Ident, ListOf, MapOf, Select, Struct

_DEEPEST: Final = 250
_COUNTED: Final = frozenset({"expr", "relation", "calc", "Select", "MemberCall", "Index"})
_LOGICAL: Final = {"conditionalOr": "_||_", "conditionalAnd": "_&&_"}
_WRAPPERS: Final = frozenset({"MemberExpr", "PrimaryExpr", "Nested", "ConstantLiteral"})
_LITERALS: Final = frozenset({"Int", "Uint", "Double", "String", "Bytes", "True", "False", "Null"})

# Generator that yields each part of a parse tree, and receives the expression to which the part was converted.
_Visit: TypeAlias = Generator["Tree | None", Expr | None, Expr]
_Entries: TypeAlias = Generator["Tree | None", Expr | None, list[Entry]]


class Visitor:
    """Converts the parse tree of one expression to its syntax tree."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._visits: dict[str, Callable[[Tree], _Visit]] = {
            "expr": self._conditional,
            **dict.fromkeys(_LOGICAL, self._logical),
            **dict.fromkeys(("relation", "calc"), self._binary),
            **dict.fromkeys(("LogicalNot", "Negate"), self._negated),
            "unary": self._unknown,
            "Select": self._select,
            "MemberCall": self._member_call,
            "Index": self._index,
            "Ident": self._ident,
            "GlobalCall": self._call,
            "CreateList": self._list,
            "CreateStruct": self._map,
            "CreateMessage": self._object,
            **dict.fromkeys(_LITERALS, self._literal),
        }

    def expression(self, tree: Tree) -> Expr:
        """Return the syntax tree of the expression. Raises Abandoned if the expression is nested too deeply."""
        active: list[tuple[_Visit, int]] = []
        depth = 0
        part, done = _tree(tree, "expr"), None
        while True:
            if done is None:
                part = _unnested(part)
                counted = int(part is not None and part.name in _COUNTED)
                depth += counted
                if depth > _DEEPEST:
                    self._builder.issues.append(Issue(-1, -1, "max recursion depth exceeded"))
                    raise Abandoned
                active.append((self._visit(part), counted))
            try:
                # A generator converts each node, not a recursive function: Python limits recursion.
                part, done = active[-1][0].send(done), None
            except StopIteration as stop:
                done = _sent(stop.value)
                depth -= active.pop()[1]
                if not active:
                    return done

    def _visit(self, tree: Tree | None) -> _Visit:
        visit = None if tree is None else self._visits.get(tree.name)
        return self._unknown(None) if tree is None or visit is None else visit(tree)

    def _unknown(self, tree: Tree | None) -> _Visit:
        """Return a placeholder node for a part of the expression with a syntax error."""
        return self._builder.literal(NOWHERE if tree is None else tree.start.start, None)
        yield None  # This line is never reached, but makes the method a generator.

    def _id(self, token: Token | None) -> int:
        return NOWHERE if token is None else self._builder.new_id(token.start)

    def _conditional(self, tree: Tree) -> _Visit:
        condition = _sent((yield _tree(tree, "condition")))
        node = self._id(_token(tree, "operator"))
        positive = _sent((yield _tree(tree, "positive")))
        negative = _sent((yield _tree(tree, "negative")))
        return Call(node, "_?_:_", None, [condition, positive, negative])

    def _logical(self, tree: Tree) -> _Visit:
        terms, operators = [_sent((yield _tree(tree, "first")))], []
        function = _LOGICAL[tree.name]
        trees = tree.lists.get("terms", [])
        for number, operator in enumerate(tree.lists.get("operators", [])):
            if number >= len(trees):
                return self._builder.report(tree.start.start, f"unexpected character, wanted '{function.strip('_')}'")
            term = trees[number]
            assert isinstance(term, Tree)
            assert isinstance(operator, Token)
            terms.append(_sent((yield term)))
            operators.append(self._id(operator))
        return self._builder.logical(function, terms, operators)

    def _binary(self, tree: Tree) -> _Visit:
        operator = _token(tree, "operator")
        if operator is None or operator.text not in BINARY:
            return self._builder.report(tree.start.start, "operator not found")
        left = _sent((yield _tree(tree, "left")))
        node = self._id(operator)
        right = _sent((yield _tree(tree, "right")))
        return Call(node, BINARY[operator.text], None, [left, right])

    def _negated(self, tree: Tree) -> _Visit:
        operators = tree.lists.get("operators", [])
        if len(operators) % 2 == 0:
            return _sent((yield _tree(tree, "member")))
        first = operators[0]
        assert isinstance(first, Token)
        node = self._id(first)
        return Call(node, f"{first.text}_", None, [_sent((yield _tree(tree, "member")))])

    def _select(self, tree: Tree) -> _Visit:
        operand = _sent((yield _tree(tree, "left")))
        name, operator = _tree(tree, "name"), _token(tree, "operator")
        if name is None or operator is None:
            return self._builder.literal(tree.start.start, None)
        field = self._field_name(name, name)
        if "optional" in tree.parts:
            key = self._builder.literal(name.start.start, field or "")
            return Call(self._id(operator), "_?._", None, [operand, key])
        return Select(self._id(operator), operand, field or "", False)

    def _field_name(self, name: Tree, reported_at: Tree) -> str | None:
        """Return the name of a field, or None if it is invalid.

        An error is then reported at the start of the parse tree `reported_at`.
        """
        token = _token(name, "name")
        if name.name == "SimpleIdentifier":
            # If the name is missing, cel-go fails; this parser uses an empty name.
            return token.text if token is not None else ""
        escaped = name.name == "EscapedIdentifier"
        self._builder.report(
            reported_at.start.start, "unsupported syntax: '`'" if escaped else "unsupported ident kind"
        )
        return None

    def _member_call(self, tree: Tree) -> _Visit:
        target = _sent((yield _tree(tree, "left")))
        name = _token(tree, "name")
        if name is None:
            return self._builder.literal(tree.start.start, None)
        node = self._id(_token(tree, "open"))
        arguments = yield from self._items(_tree(tree, "arguments"))
        return self._builder.member_call(node, name.text, target, arguments)

    def _items(self, tree: Tree | None) -> Generator["Tree | None", Expr | None, list[Expr]]:
        found: list[Expr] = []
        for item in [] if tree is None else tree.lists.get("items", []):
            assert isinstance(item, Tree)
            found.append(_sent((yield _tree(item, "expr") if item.name == "optExpr" else item)))
        return found

    def _index(self, tree: Tree) -> _Visit:
        target = _sent((yield _tree(tree, "left")))
        operator = _token(tree, "operator")
        if operator is None:
            return self._builder.literal(tree.start.start, None)
        node = self._id(operator)
        index = _sent((yield _tree(tree, "index")))
        return Call(node, "_[?_]" if "optional" in tree.parts else "_[_]", None, [target, index])

    def _ident(self, tree: Tree) -> _Visit:
        name = _token(tree, "name")
        if name is None:
            return self._builder.literal(tree.start.start, None)
        if name.text in RESERVED:
            return self._builder.report(tree.start.start, f"reserved identifier: {name.text}")
        return Ident(self._id(name), ("." if "dot" in tree.parts else "") + name.text)
        yield None  # This line is never reached, but makes the method a generator.

    def _call(self, tree: Tree) -> _Visit:
        name = _token(tree, "name")
        if name is None:
            return self._builder.literal(tree.start.start, None)
        if name.text in RESERVED:
            return self._builder.report(tree.start.start, f"reserved identifier: {name.text}")
        node = self._id(_token(tree, "open"))
        arguments = yield from self._items(_tree(tree, "arguments"))
        return self._builder.call(node, ("." if "dot" in tree.parts else "") + name.text, *arguments)

    def _list(self, tree: Tree) -> _Visit:
        node = self._id(_token(tree, "open"))
        items = _tree(tree, "items")
        found = yield from self._items(items)
        trees = [] if items is None else items.lists.get("items", [])
        optional = [number for number, item in enumerate(trees) if isinstance(item, Tree) and "optional" in item.parts]
        return ListOf(node, found, frozenset(optional))

    def _map(self, tree: Tree) -> _Visit:
        node = self._id(_token(tree, "open"))
        return MapOf(node, (yield from self._map_entries(_tree(tree, "entries"))))

    def _map_entries(self, tree: Tree | None) -> _Entries:
        found: list[Entry] = []
        if tree is None:
            return found
        keys, values = tree.lists.get("keys", []), tree.lists.get("values", [])
        for number, colon in enumerate(tree.lists.get("colons", [])):
            assert isinstance(colon, Token)
            node = self._id(colon)
            if number >= len(keys) or number >= len(values):
                return []
            key, value = keys[number], values[number]
            assert isinstance(key, Tree)
            assert isinstance(value, Tree)
            read = _sent((yield _tree(key, "expr")))
            found.append(Entry(node, read, _sent((yield value)), "optional" in key.parts))
        return found

    def _object(self, tree: Tree) -> _Visit:
        name = ".".join(part.text for part in tree.lists.get("names", []) if isinstance(part, Token))
        node = self._id(_token(tree, "open"))
        fields = yield from self._fields(_tree(tree, "entries"))
        return Struct(node, ("." if "dot" in tree.parts else "") + name, fields)

    def _fields(self, tree: Tree | None) -> _Entries:
        found: list[Entry] = []
        if tree is None:
            return found
        colons, values = tree.lists.get("colons", []), tree.lists.get("values", [])
        for number, field in enumerate(tree.lists.get("keys", [])):
            if number >= len(colons) or number >= len(values):
                return []
            colon, value = colons[number], values[number]
            assert isinstance(field, Tree)
            assert isinstance(colon, Token)
            assert isinstance(value, Tree)
            node = self._id(colon)
            name_tree = _tree(field, "name")
            assert name_tree is not None
            name = self._field_name(name_tree, tree)
            if name is not None:
                found.append(Entry(node, name, _sent((yield value)), "optional" in field.parts))
        return found

    def _literal(self, tree: Tree) -> _Visit:
        sign, token = _token(tree, "sign"), _token(tree, "token")
        assert token is not None
        try:
            value = literal_value(token.kind, ("" if sign is None else sign.text) + token.text)
        except InvalidLiteral as error:
            return self._builder.report(tree.start.start, str(error))
        return self._builder.literal(tree.start.start, value)
        yield None  # This line is never reached, but makes the method a generator.


def _sent(found: Expr | None) -> Expr:
    assert found is not None
    return found


def _tree(tree: Tree, name: str) -> Tree | None:
    found = tree.parts.get(name)
    assert not isinstance(found, Token)
    return found


def _token(tree: Tree, name: str) -> Token | None:
    found = tree.parts.get(name)
    assert not isinstance(found, Tree)
    return found


def _unnested(tree: Tree | None) -> Tree | None:
    """Return the first node below `tree`, or `tree` itself, that stands for an operation or an operand.

    Other nodes only wrap another node and are skipped. They exist because the grammar rule of an operator also matches
    a single operand.
    """
    while tree is not None:
        if tree.name == "expr" and "operator" not in tree.parts:
            tree = _tree(tree, "condition")
        elif tree.name in _LOGICAL and "operators" not in tree.lists:
            tree = _tree(tree, "first")
        elif tree.name in _WRAPPERS or (tree.name in {"relation", "calc"} and "operator" not in tree.parts):
            tree = _tree(tree, "only")
        else:
            return tree
    return None
