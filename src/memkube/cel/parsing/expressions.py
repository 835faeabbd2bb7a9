"""Fast recursive-descent parser, which parses only valid expressions that are not deeply nested."""

from collections.abc import Callable
from typing import Final

from memkube.cel.parsing.builder import RESERVED, Builder
from memkube.cel.parsing.tokens import EOF, Token, Tokens
from memkube.cel.parsing.values import InvalidLiteral, double, integer, octets, string, unsigned
from memkube.cel.syntax import Call, Constant, Entry, Expr, Ident, ListOf, MapOf, Select, Struct

_DEEPEST: Final = 24
_HIGHEST: Final = 250
BINARY: Final = {"in": "@in"} | {
    operator: f"_{operator}_" for operator in ("<", "<=", ">=", ">", "==", "!=", "+", "-", "*", "/", "%")
}
_PRECEDENCE: Final = {operator: 2 if operator in "+-" else 3 if operator in "*/%" else 1 for operator in BINARY}
_WORDS: Final[dict[str, Constant]] = {"true": True, "false": False, "null": None}
_READ: Final[dict[str, Callable[[str], Constant]]] = {
    "NUM_INT": integer,
    "NUM_UINT": unsigned,
    "NUM_FLOAT": double,
    "STRING": string,
    "BYTES": octets,
}


class NotPlain(Exception):
    """Raised if the fast parser cannot parse an expression, because it is invalid or deeply nested."""


def parse_plain(tokens: Tokens, builder: Builder) -> Expr:
    """Parse an expression with the fast parser, and return its syntax tree, whose nodes `builder` creates.

    Raises NotPlain if the expression is invalid or deeply nested, and TooManyNodes if its tree is too large. After an
    error, `builder` contains useless nodes, and must not be used again.
    """
    parser = _Parser(tokens.visible, builder)
    try:
        root = parser.expr()
    except InvalidLiteral:
        raise NotPlain from None
    if parser.kind != EOF or builder.issues or parser.height > _HIGHEST or tokens.unrecognized:
        raise NotPlain
    return root


class _Parser:
    """Recursive-descent parser. Each method parses one grammar rule, and sets `height` to the height of its tree.

    The height counts only nodes that count towards cel-go's recursion limit.
    """

    def __init__(self, tokens: list[Token], builder: Builder) -> None:
        self.kind = tokens[0].kind
        self.height = 0
        self._tokens = tokens
        self._at = 0
        self._builder = builder
        self._depth = 0

    def _advance(self) -> Token:
        token = self._tokens[self._at]
        if token.kind == EOF:
            raise NotPlain
        self._at += 1
        self.kind = self._tokens[self._at].kind
        return token

    def _expect(self, kind: str) -> Token:
        if self.kind != kind:
            raise NotPlain
        return self._advance()

    def _skip(self, kind: str) -> bool:
        if self.kind != kind:
            return False
        self._advance()
        return True

    def expr(self) -> Expr:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise NotPlain
        found = self._logical("||")
        if self.kind == "?":
            node = self._builder.new_id(self._advance().start)
            height = self.height
            positive = self._logical("||")
            height = max(height, self.height)
            self._expect(":")
            negative = self.expr()
            self.height = max(height, self.height) + 1
            found = Call(node, "_?_:_", None, [found, positive, negative])
        self._depth -= 1
        return found

    def _logical(self, operator: str) -> Expr:
        first = self._logical("&&") if operator == "||" else self._binary(1)
        if self.kind != operator:
            return first
        terms, operators, height = [first], [], self.height
        while self.kind == operator:
            offset = self._advance().start
            terms.append(self._logical("&&") if operator == "||" else self._binary(1))
            operators.append(self._builder.new_id(offset))
            height = max(height, self.height)
        self.height = height
        return self._builder.logical(f"_{operator}_", terms, operators)

    def _binary(self, least: int) -> Expr:
        """Parse binary operators with at least the precedence `least`. Operators associate to the left."""
        left = self._unary()
        while (precedence := _PRECEDENCE.get(self.kind, 0)) >= least:
            token = self._advance()
            node, height = self._builder.new_id(token.start), self.height
            right = self._binary(precedence + 1)
            self.height = max(height, self.height) + 1
            left = Call(node, BINARY[token.kind], None, [left, right])
        return left

    def _unary(self) -> Expr:
        operator = self.kind
        if operator not in {"!", "-"} or (operator == "-" and self._is_negative()):
            return self._member()
        first, count = self._advance(), 1
        while self._skip(operator):
            count += 1
        if count % 2 == 0:
            return self._member()
        node = self._builder.new_id(first.start)
        return Call(node, f"{operator}_", None, [self._member()])

    def _is_negative(self) -> bool:
        return self._tokens[self._at + 1].kind in {"NUM_INT", "NUM_FLOAT"}

    def _member(self) -> Expr:
        found = self._primary()
        while True:
            if self.kind == ".":
                found = self._selection(found)
            elif self.kind == "[":
                found = self._index(found)
            else:
                return found

    def _selection(self, operand: Expr) -> Expr:
        builder, height = self._builder, self.height
        dot = self._advance()
        optional = self._skip("?")
        name = self._expect("IDENTIFIER")
        if optional:
            field = builder.literal(name.start, name.text)
            found: Expr = Call(builder.new_id(dot.start), "_?._", None, [operand, field])
            self.height = height
        elif self.kind == "(":
            node = builder.new_id(self._advance().start)
            found = builder.member_call(node, name.text, operand, self._arguments())
            self.height = max(height, self.height)
        else:
            found = Select(builder.new_id(dot.start), operand, name.text, False)
        self.height += 1
        return found

    def _index(self, operand: Expr) -> Expr:
        height = self.height
        node = self._builder.new_id(self._advance().start)
        function = "_[?_]" if self._skip("?") else "_[_]"
        index = self.expr()
        self._expect("]")
        self.height = max(height, self.height) + 1
        return Call(node, function, None, [operand, index])

    def _arguments(self) -> list[Expr]:
        """Parse the arguments of a call up to the closing parenthesis. The opening one is already consumed."""
        found: list[Expr] = []
        height = self.height = 0
        if not self._skip(")"):
            found.append(self.expr())
            height = self.height
            while self._skip(","):
                found.append(self.expr())
                height = max(height, self.height)
            self._expect(")")
        self.height = height
        return found

    def _primary(self) -> Expr:
        self.height = 0
        match self.kind:
            case "IDENTIFIER" | ".":
                return self._named()
            case "(":
                self._advance()
                found = self.expr()
                self._expect(")")
                return found
            case "[":
                return self._list()
            case "{":
                return self._map()
        return self._literal()

    def _named(self) -> Expr:
        """Parse a variable, a call of a function, or an object literal."""
        prefix = "." if self._skip(".") else ""
        name = self._expect("IDENTIFIER")
        path = self._type_path(name.text)
        if path is not None:
            return self._object(prefix + path)
        if name.text in RESERVED:
            raise NotPlain
        if self.kind == "(":
            node = self._builder.new_id(self._advance().start)
            return self._builder.call(node, prefix + name.text, *self._arguments())
        return Ident(self._builder.new_id(name.start), prefix + name.text)

    def _type_path(self, name: str) -> str | None:
        """Return the type name of an object literal, and advance to its opening brace.

        Returns None if the expression is not an object literal.
        """
        tokens, at = self._tokens, self._at
        names = [name]
        while tokens[at].kind == "." and tokens[at + 1].kind == "IDENTIFIER":
            names.append(tokens[at + 1].text)
            at += 2
        if tokens[at].kind != "{":
            return None
        self._at, self.kind = at, "{"
        return ".".join(names)

    def _literal(self) -> Expr:
        start, word = self._tokens[self._at].start, self.kind
        sign = self._advance().text if word == "-" else ""
        token = self._advance()
        return self._builder.literal(start, literal_value(token.kind, sign + token.text))

    def _list(self) -> Expr:
        node = self._builder.new_id(self._advance().start)
        items: list[Expr] = []
        optional: list[int] = []

        def read() -> None:
            if self._skip("?"):
                optional.append(len(items))
            items.append(self.expr())

        self._separated("]", read)
        return ListOf(node, items, frozenset(optional))

    def _map(self) -> Expr:
        builder = self._builder
        node = builder.new_id(self._advance().start)
        entries: list[Entry] = []

        def read() -> None:
            # As in cel-go, the entry gets its id before the nodes of its key. Its offset (the colon's) is set below.
            entry = builder.new_id(0)
            optional = self._skip("?")
            key = self.expr()
            height = self.height
            builder.offsets[entry] = self._expect(":").start
            entries.append(Entry(entry, key, self.expr(), optional))
            self.height = max(height, self.height)

        self._separated("}", read)
        return MapOf(node, entries)

    def _object(self, name: str) -> Expr:
        builder = self._builder
        node = builder.new_id(self._advance().start)
        fields: list[Entry] = []

        def read() -> None:
            optional = self._skip("?")
            field = self._expect("IDENTIFIER").text
            entry = builder.new_id(self._expect(":").start)
            fields.append(Entry(entry, field, self.expr(), optional))

        self._separated("}", read)
        return Struct(node, name, fields)

    def _separated(self, closing: str, read: Callable[[], None]) -> None:
        """Parse comma-separated items, each by a call of `read`, up to the bracket `closing`.

        A comma may follow the last item.
        """
        height = 0
        if self.kind not in {closing, ","}:
            read()
            height = self.height
            while self.kind == "," and self._tokens[self._at + 1].kind != closing:
                self._advance()
                read()
                height = max(height, self.height)
        self._skip(",")
        self._expect(closing)
        self.height = height


def literal_value(kind: str, text: str) -> Constant:
    """Return the value of a token that is a literal.

    Raises InvalidLiteral if the literal is malformed or out of range, and NotPlain if the token is not a literal.
    """
    if kind in _WORDS:
        return _WORDS[kind]
    if kind not in _READ:
        raise NotPlain
    return _READ[kind](text)
