"""Construction of syntax trees: ids, offsets, expansion of macros, and errors (cel-go's ``parser/helper.go``)."""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from memkube.cel.issues import Issue, Source
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
)

ACCUMULATOR: Final = "@result"
NOWHERE: Final = -1
_MOST_NODES: Final = 100_000
RESERVED: Final = frozenset(
    {
        *("as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in", "let", "loop"),
        *("package", "namespace", "null", "return", "true", "var", "void", "while"),
    }
)


class MacroError(Exception):
    """Raised if an argument of a macro is invalid; `node` is the id of the argument's node in the syntax tree."""

    def __init__(self, node: int, message: str) -> None:
        super().__init__(message)
        self.node = node


class TooManyNodes(Exception):
    """Raised if macros copy their arguments so often that the syntax tree becomes too large."""


Macro: TypeAlias = Callable[["MacroNodes", Expr | None, list[Expr]], Expr | None]
# Each macro has a key with three items: its name, True if its calls have a receiver, and their number of arguments.
Macros: TypeAlias = Mapping[tuple[str, bool, int], Macro]


class Builder:
    """Creates the nodes of an expression's syntax tree, expands macros, and collects the errors in `issues`."""

    def __init__(self, source: Source, macros: Macros) -> None:
        self.issues: list[Issue] = []
        self.offsets: dict[int, int] = {}
        self._source = source
        self._macros = macros
        self._next = 1

    def new_id(self, offset: int) -> int:
        """Return the id of a new node at an offset in the expression. Raises TooManyNodes if there are too many."""
        new = self._next
        if new > _MOST_NODES:
            raise TooManyNodes
        self._next = new + 1
        self.offsets[new] = offset
        return new

    def report(self, offset: int | None, message: str) -> Literal:
        """Add an error to the issues, and return a placeholder node for the invalid part of the expression.

        `offset` is the position of the error; None if the error has no position.
        """
        node = Literal(self.new_id(NOWHERE if offset is None else offset), None)
        if offset is None:
            self.issues.append(Issue(-1, -1, message))
        elif offset == NOWHERE:
            self.issues.append(Issue(1, -1, message))
        else:
            self.issues.append(self._source.issue(offset, message))
        return node

    def literal(self, offset: int, value: Constant) -> Literal:
        """Create the node of a literal at an offset in the expression."""
        return Literal(self.new_id(offset), value)

    def call(self, node_id: int, function: str, *arguments: Expr) -> Expr:
        """Create a call with the node id `node_id`. If a macro has the name `function`, return its expansion."""
        return self._expanded(node_id, function, None, [*arguments])

    def member_call(self, node_id: int, function: str, target: Expr, arguments: list[Expr]) -> Expr:
        """Create a call with the receiver `target` and the node id `node_id`.

        If `function` is the name of a macro, return its expansion instead.
        """
        return self._expanded(node_id, function, target, arguments)

    def _expanded(self, node_id: int, function: str, target: Expr | None, arguments: list[Expr]) -> Expr:
        macro = self._macros.get((function, target is not None, len(arguments)))
        if macro is None:
            return Call(node_id, function, target, arguments)
        nodes = MacroNodes(self, self.offsets.get(node_id, NOWHERE))
        try:
            expanded = macro(nodes, target, arguments)
        except MacroError as error:
            offset = self.offsets.get(error.node)
            self._delete_id(node_id)
            return self.report(offset, str(error))
        if expanded is None:
            return Call(node_id, function, target, arguments)
        self._delete_id(node_id)
        return expanded

    def _delete_id(self, node_id: int) -> None:
        self.offsets.pop(node_id, None)
        if node_id == self._next - 1:
            self._next = node_id

    def logical(self, function: str, terms: list[Expr], operators: list[int]) -> Expr:
        """Create a balanced tree from the terms of the operator `function`, ``&&`` or ``||``.

        `operators` are the node ids of the operators between the terms.
        """
        if not operators:
            return terms[0]
        middle = len(operators) // 2
        left = self.logical(function, terms[: middle + 1], operators[:middle])
        right = self.logical(function, terms[middle + 1 :], operators[middle + 1 :])
        return Call(operators[middle], function, None, [left, right])

    def ast(self, root: Expr) -> Ast:
        """Return the syntax tree with the root node `root`, and the offsets of all nodes."""
        return Ast(root, self.offsets)


class MacroNodes:
    """Creates the nodes that a macro adds to the syntax tree. All of them have the offset of the macro call."""

    accumulator: Final = ACCUMULATOR

    def __init__(self, builder: Builder, offset: int) -> None:
        self._builder = builder
        self._offset = offset

    def literal(self, value: Constant) -> Literal:
        """Create the node of a literal."""
        return Literal(self._new(), value)

    def ident(self, name: str) -> Ident:
        """Create a reference to the variable with this name."""
        return Ident(self._new(), name)

    def result(self) -> Ident:
        """Create a reference to the accumulator of the loop to which the macro expands."""
        return Ident(self._new(), ACCUMULATOR)

    def list_of(self, *items: Expr) -> ListOf:
        """Create the syntax node of a list literal, whose items are the nodes `items`."""
        return ListOf(self._new(), [*items], frozenset())

    def map_of(self) -> MapOf:
        """Create an empty map literal."""
        return MapOf(self._new(), [])

    def call(self, function: str, *arguments: Expr) -> Call:
        """Create a call of a function or operator, without a receiver and without expanding macros."""
        return Call(self._new(), function, None, [*arguments])

    def member_call(self, function: str, target: Expr, *arguments: Expr) -> Call:
        """Create the call of a function with the receiver `target`."""
        return Call(self._new(), function, target, [*arguments])

    def presence(self, selection: Select) -> Select:
        """Create the check ``has()`` for a selection such as ``a.b``: it is true if the field ``b`` is set."""
        return Select(self._new(), selection.operand, selection.field, True)

    def fold(
        self, over: Expr, variables: tuple[str, str], accumulator: tuple[str, Expr], steps: tuple[Expr, Expr, Expr]
    ) -> Comprehension:
        """Create a loop over the list or map `over`. `variables` are its loop variables; the second may be "".

        `accumulator` is the name and the initial value of the accumulator. `steps` are three expressions: the condition
        for another iteration, the next value of the accumulator, and the result of the loop.
        """
        condition, step, result = steps
        name, initial = accumulator
        return Comprehension(self._new(), *variables, over, name, initial, condition, step, result)

    def copied(self, node: Expr) -> Expr:
        """Return a copy of a syntax tree whose nodes have new ids."""
        new = self._builder.new_id(self._builder.offsets.get(node.id, 0))
        match node:
            case Literal(value=value):
                return Literal(new, value)
            case Ident(name=name):
                return Ident(new, name)
            case Select():
                return Select(new, self.copied(node.operand), node.field, node.test)
            case Call():
                arguments = [self.copied(argument) for argument in node.arguments]
                target = None if node.target is None else self.copied(node.target)
                return Call(new, node.function, target, arguments)
            case ListOf():
                return ListOf(new, [self.copied(item) for item in node.items], node.optional)
            case MapOf():
                return MapOf(new, [self._copied_entry(entry) for entry in node.entries])
            case Struct():
                return Struct(new, node.type_name, [self._copied_entry(entry) for entry in node.fields])
            case Comprehension():
                parts = (
                    self.copied(part) for part in (node.range, node.initial, node.condition, node.step, node.result)
                )
                over, initial, condition, step, result = parts
                variables = node.variable, node.second_variable
                return Comprehension(new, *variables, over, node.accumulator, initial, condition, step, result)

    def _copied_entry(self, entry: Entry) -> Entry:
        new = self._new()
        key = entry.key if isinstance(entry.key, str) else self.copied(entry.key)
        return Entry(new, key, self.copied(entry.value), entry.optional)

    def _new(self) -> int:
        return self._builder.new_id(self._offset)
