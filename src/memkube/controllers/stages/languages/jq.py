"""The subset of jq that selects and computes values: paths, iteration, comparison, arithmetic and some functions.

Included are ``.``, ``.a.b``, ``.a.[]``, ``.["a"]``, ``.[0]``, ``?``, ``|``, ``,``, ``//``, ``and``, ``or``,
comparisons, arithmetic, literals, parentheses, ``[…]`` and the functions in `FUNCTIONS`. Queries with definitions,
variables, assignment, ``reduce``, ``if``, slices, objects, ``..``, formats or interpolation are refused when they are
compiled. Results are those of gojq, KWOK's implementation. The number of steps is limited, so that a query cannot block
the server's event loop.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice, product
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

import re2

Filter: TypeAlias = Callable[[Any], Iterator[Any]]
"""Function that yields the results of a part of a query for an input value. It raises JqError."""

_MOST_STEPS: Final = 100_000
_DEEPEST: Final = 25
_MOST_TOKENS: Final = 300
_LONGEST: Final = 1_000_000
_TOKEN: Final = re.compile(
    r"""\s*(?:(?P<string>"(?:[^"\\]|\\.)*")|(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?P<field>\.[A-Za-z_]\w*)"""
    r"""|(?P<name>[A-Za-z_]\w*)|(?P<sign>//|==|!=|<=|>=|[<>|,+\-*/%\[\]();?.]))""",
    re.DOTALL,
)
_KEYWORDS: Final = frozenset(
    (
        "def",
        "reduce",
        "foreach",
        "if",
        "then",
        "elif",
        "else",
        "end",
        "try",
        "catch",
        "label",
        "import",
        "include",
        "as",
    )
)


class JqError(Exception):
    """Raised while a jq query runs, if it fails for its input. `Query.execute` then returns None."""


class Token(NamedTuple):
    """A token of a jq query: its kind, such as ``name``, ``string`` or ``end``, and its text."""

    kind: str
    text: str


class Query:
    """A compiled jq query, which computes results from a JSON value."""

    def __init__(self, text: str) -> None:
        """Compile a jq query.

        Raises ValueError with a message of one line if the query is malformed or outside of the supported subset.
        """
        self.text = text
        self._steps = 0
        self._run = _Parser(text, self._step).parse()

    def execute(self, value: Any) -> list[Any] | None:
        """Return the results of the jq query for the input `value`, without results that are null.

        Returns None if the query fails (KWOK's ``Query.Execute``).
        """
        self._steps = 0
        try:
            return [result for result in self._run(value) if result is not None]
        except (JqError, ArithmeticError, ValueError):
            # Python raises ArithmeticError or ValueError if an infinite number or NaN is converted to an integer.
            return None

    def _step(self) -> None:
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise JqError(f"the jq expression takes more than {_MOST_STEPS} steps")


class _Parser:
    """Recursive descent parser, which compiles the tokens of a jq query into Python functions."""

    def __init__(self, text: str, step: Callable[[], None]) -> None:
        self._text = text
        self._tokens = list(islice(_tokens(text), _MOST_TOKENS + 1))
        if len(self._tokens) > _MOST_TOKENS:
            raise ValueError(f"jq expression {text[:50]!r}… has more than {_MOST_TOKENS} tokens")
        self._token_index = 0
        self._depth = 0
        self._step = step

    def parse(self) -> Filter:
        run = self._pipe()
        if self._next.kind != "end":
            raise self._refusal()
        return run

    @property
    def _next(self) -> Token:
        return self._tokens[self._token_index]

    def _refusal(self) -> ValueError:
        what = f"unexpected {self._next.text!r}" if self._next.text else "it ends too early"
        return ValueError(f"jq expression {self._text!r} is malformed or outside of the supported subset: {what}")

    def _take(self, *texts: str) -> str:
        """Return and consume the next token if it is one of `texts`. Otherwise return an empty text."""
        token = self._next
        if token.kind in ("sign", "name") and token.text in texts:
            self._token_index += 1
            return token.text
        return ""

    def _expect(self, text: str) -> None:
        if not self._take(text):
            raise self._refusal()

    def _pipe(self) -> Filter:
        run = self._comma()
        while self._take("|"):
            run = partial(_piped, self._step, run, self._comma())
        return run

    def _comma(self) -> Filter:
        run = self._alternative()
        while self._take(","):
            run = partial(_both, run, self._alternative())
        return run

    def _alternative(self) -> Filter:
        parts = [self._or()]
        while self._take("//"):
            parts.append(self._or())
        run = parts.pop()
        while parts:
            run = partial(_alternative, parts.pop(), run)
        return run

    def _or(self) -> Filter:
        run = self._and()
        while self._take("or"):
            run = partial(_logical, self._step, True, run, self._and())
        return run

    def _and(self) -> Filter:
        run = self._comparison()
        while self._take("and"):
            run = partial(_logical, self._step, False, run, self._comparison())
        return run

    def _comparison(self) -> Filter:
        run = self._sum()
        if sign := self._take(*_COMPARISONS):
            run = partial(_binary, self._step, _COMPARISONS[sign], run, self._sum())
        return run

    def _sum(self) -> Filter:
        run = self._product()
        while sign := self._take("+", "-"):
            run = partial(_binary, self._step, _ARITHMETIC[sign], run, self._product())
        return run

    def _product(self) -> Filter:
        run = self._postfix()
        while sign := self._take("*", "/", "%"):
            run = partial(_binary, self._step, _ARITHMETIC[sign], run, self._postfix())
        return run

    def _postfix(self) -> Filter:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ValueError(f"jq expression {self._text!r} is nested more than {_DEEPEST} times")
        run = self._term()
        self._depth -= 1
        while True:
            if self._next.kind == "field":
                run = self._optional(partial(_indexed, self._step, run, partial(_constant, self._field())))
            elif self._take("["):
                run = self._optional(self._bracket(run))
            elif self._take("?"):
                run = partial(_tried, run)
            elif self._next.text == "." and self._tokens[self._token_index + 1].text == "[":
                self._token_index += 1
            elif self._next.text == "." and self._tokens[self._token_index + 1].kind == "string":
                self._token_index += 1
                run = self._optional(partial(_indexed, self._step, run, partial(_constant, self._string())))
            else:
                return run

    def _optional(self, run: "partial[Iterator[Any]]") -> Filter:
        """Compile a ``?`` after the index or iteration `run`, if there is one. It suppresses errors of `run` only."""
        if not self._take("?"):
            return run
        last = partial(run.func, self._step, _identity, *run.args[2:])
        return partial(_piped, self._step, run.args[1], partial(_tried, last))

    def _bracket(self, run: Filter) -> "partial[Iterator[Any]]":
        """Compile an index such as ``[0]``, or the iteration ``[]``, which applies to the results of `run`.

        The opening bracket was consumed already.
        """
        if self._take("]"):
            return partial(_iterated, self._step, run)
        key = self._pipe()
        self._expect("]")
        return partial(_indexed, self._step, run, key)

    def _term(self) -> Filter:
        token = self._next
        if token.kind == "field":
            return partial(_indexed, self._step, _identity, partial(_constant, self._field()))
        if token.kind == "string":
            return partial(_constant, self._string())
        if token.kind == "number":
            self._token_index += 1
            return partial(_constant, json.loads(token.text))
        if self._take("-"):
            return partial(_negated, self._postfix())
        if self._take("."):
            if self._next.kind == "string":
                return partial(_indexed, self._step, _identity, partial(_constant, self._string()))
            return _identity
        if self._take("("):
            run = self._pipe()
            self._expect(")")
            return run
        if self._take("["):
            return self._array()
        if token.kind == "name" and token.text not in _KEYWORDS:
            return self._call()
        raise self._refusal()

    def _array(self) -> Filter:
        if self._take("]"):
            return lambda _: iter([[]])
        run = self._pipe()
        self._expect("]")
        return partial(_collected, run)

    def _call(self) -> Filter:
        name, self._token_index = self._next.text, self._token_index + 1
        if name in _CONSTANTS:
            return partial(_constant, _CONSTANTS[name])
        arguments = []
        if self._take("("):
            arguments.append(self._pipe())
            while self._take(";"):
                arguments.append(self._pipe())
            self._expect(")")
        function = FUNCTIONS.get(f"{name}/{len(arguments)}")
        if function is None:
            raise ValueError(
                f"jq expression {self._text!r} is outside of the supported subset: function {name}/{len(arguments)}"
            )
        return partial(function, *arguments)

    def _field(self) -> str:
        self._token_index += 1
        return self._tokens[self._token_index - 1].text[1:]

    def _string(self) -> str:
        token = self._next
        try:
            value: str = json.loads(token.text)
        except ValueError:
            raise self._refusal() from None
        self._token_index += 1
        return value


def _tokens(text: str) -> Iterator[Token]:
    offset, text = 0, text.rstrip()
    while offset < len(text):
        found = _TOKEN.match(text, offset)
        if found is None:
            raise ValueError(
                f"jq expression {text!r} is malformed or outside of the supported subset: "
                f"unexpected {text[offset:].lstrip()[:1]!r}"
            )
        kind = found.lastgroup or ""
        yield Token(kind, found.group(kind))
        offset = found.end()
    yield Token("end", "")


def _identity(value: Any) -> Iterator[Any]:
    yield value


def _constant(constant: Any, _: Any) -> Iterator[Any]:
    yield constant


def _piped(step: Callable[[], None], left: Filter, right: Filter, value: Any) -> Iterator[Any]:
    for each in left(value):
        step()
        yield from right(each)


def _both(left: Filter, right: Filter, value: Any) -> Iterator[Any]:
    yield from left(value)
    yield from right(value)


def _alternative(left: Filter, right: Filter, value: Any) -> Iterator[Any]:
    """Yield the results of the operator ``//``: the true results of the left side, or else those of the right side."""
    found = False
    for each in left(value):
        if _is_true(each):
            found = True
            yield each
    if not found:
        yield from right(value)


def _logical(step: Callable[[], None], decisive: bool, left: Filter, right: Filter, value: Any) -> Iterator[Any]:
    """Yield the results of the operator ``or`` (if `decisive` is True) or ``and``.

    The right side is evaluated only if the truth of the left side is not `decisive`. `step` is called once for each
    result of the left side, to count the steps of the query.
    """
    for each in left(value):
        step()
        if _is_true(each) == decisive:
            yield decisive
        else:
            yield from (_is_true(other) for other in right(value))


def _binary(
    step: Callable[[], None], operation: Callable[[Any, Any], Any], left: Filter, right: Filter, value: Any
) -> Iterator[Any]:
    for second, first in product(list(right(value)), list(left(value))):
        step()
        yield operation(first, second)


def _indexed(step: Callable[[], None], run: Filter, key: Filter, value: Any) -> Iterator[Any]:
    keys = list(key(value))
    for each, index in product(run(value), keys):
        step()
        yield _item(each, index)


def _item(value: Any, index: Any) -> Any:
    """Return a field of an object or an element of an array; None if it is missing or the value is null."""
    if value is None and (isinstance(index, str) or _is_number(index)):
        return None
    if isinstance(value, dict) and isinstance(index, str):
        return value.get(index)
    if isinstance(value, list) and _is_number(index):
        position = int(index // 1)
        return value[position] if -len(value) <= position < len(value) else None
    raise JqError(f"cannot get the element {index!r} of {value!r}")


def _iterated(step: Callable[[], None], run: Filter, value: Any) -> Iterator[Any]:
    for each in run(value):
        step()
        yield from _items(each)


def _items(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return [value[key] for key in sorted(value)]
    if isinstance(value, list):
        return value
    raise JqError(f"cannot iterate over {value!r}")


def _tried(run: Filter, value: Any) -> Iterator[Any]:
    try:
        yield from run(value)
    except JqError:
        return


def _negated(run: Filter, value: Any) -> Iterator[Any]:
    for each in run(value):
        yield -_number(each)


def _collected(run: Filter, value: Any) -> Iterator[Any]:
    yield list(run(value))


def _is_true(value: Any) -> bool:
    return value is not None and value is not False


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _number(value: Any) -> int | float:
    if not _is_number(value):
        raise JqError(f"{value!r} is not a number")
    number: int | float = value
    return number


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise JqError(f"{value!r} is not a string")
    return value


def _order(value: Any) -> tuple[Any, ...]:
    """Return a sort key with which values of all types can be compared, in jq's order."""
    if value is None or isinstance(value, bool):
        return (("null", "false", "true").index(json.dumps(value)),)
    if _is_number(value):
        return 3, value
    if isinstance(value, str):
        return 4, value
    if isinstance(value, list):
        return 5, [_order(each) for each in value]
    keys = sorted(value)
    return 6, keys, [_order(value[key]) for key in keys]


def _plus(left: Any, right: Any) -> Any:
    if left is None or right is None:
        return right if left is None else left
    if _is_number(left) and _is_number(right):
        return left + right
    if type(left) is type(right) and isinstance(left, (str, list)):
        return left + right
    if isinstance(left, dict) and isinstance(right, dict):
        return {**left, **right}
    raise JqError(f"cannot add: {left!r} and {right!r}")


def _minus(left: Any, right: Any) -> Any:
    if isinstance(left, list) and isinstance(right, list):
        return [each for each in left if _order(each) not in [_order(other) for other in right]]
    return _number(left) - _number(right)


def _times(left: Any, right: Any) -> Any:
    if isinstance(left, dict) and isinstance(right, dict):
        return _merged(left, right)
    if isinstance(left, str):
        count = _number(right)
        if count * len(left) > _LONGEST:
            raise JqError(f"the string would have more than {_LONGEST} characters")
        return left * max(int(count), 1) if count > 0 else None
    return _number(left) * _number(right)


def _merged(left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any]:
    """Return two objects merged recursively, with values of the right one where both have a value."""
    both = {key: _merged(left[key], right[key]) for key in right if _is_object(left.get(key), right[key])}
    return {**left, **right, **both}


def _is_object(*values: Any) -> bool:
    return all(isinstance(value, dict) for value in values)


def _divided(left: Any, right: Any) -> Any:
    if isinstance(left, str) and isinstance(right, str):
        return _split_text(left, right)
    if _number(right) == 0:
        raise JqError(f"cannot divide by zero: {left!r}")
    exact = isinstance(left, int) and isinstance(right, int) and left % right == 0
    return _number(left) // right if exact else _number(left) / right


def _remainder(left: Any, right: Any) -> Any:
    dividend, divisor = int(_number(left)), int(_number(right))
    if divisor == 0:
        raise JqError(f"cannot divide by zero: {left!r}")
    size = abs(dividend) % abs(divisor)
    return -size if dividend < 0 else size


def _split_text(text: str, by: str) -> list[str]:
    if not text:
        return []
    return text.split(by) if by else list(text)


_COMPARISONS: Final[Mapping[str, Callable[[Any, Any], bool]]] = MappingProxyType(
    {
        "==": lambda left, right: _order(left) == _order(right),
        "!=": lambda left, right: _order(left) != _order(right),
        "<=": lambda left, right: _order(left) <= _order(right),
        ">=": lambda left, right: _order(left) >= _order(right),
        "<": lambda left, right: _order(left) < _order(right),
        ">": lambda left, right: _order(left) > _order(right),
    }
)
_ARITHMETIC: Final[Mapping[str, Callable[[Any, Any], Any]]] = MappingProxyType(
    {"+": _plus, "-": _minus, "*": _times, "/": _divided, "%": _remainder}
)
_CONSTANTS: Final = MappingProxyType({"true": True, "false": False, "null": None})


def _of_input(function: Callable[[Any], Any], value: Any) -> Iterator[Any]:
    yield function(value)


def _of_argument(function: Callable[[Any, Any], Any], argument: Filter, value: Any) -> Iterator[Any]:
    for each in argument(value):
        yield function(value, each)


def _selected(condition: Filter, value: Any) -> Iterator[Any]:
    for each in condition(value):
        if _is_true(each):
            yield value


def _nothing(_: Any) -> Iterator[Any]:
    return iter(())


def _mapped(run: Filter, value: Any) -> Iterator[Any]:
    yield [result for each in _items(value) for result in run(each)]


def _any_of(run: Filter, value: Any) -> Iterator[Any]:
    yield any(_is_true(result) for each in _items(value) for result in run(each))


def _all_of(run: Filter, value: Any) -> Iterator[Any]:
    yield all(_is_true(result) for each in _items(value) for result in run(each))


def _length(value: Any) -> Any:
    if value is None:
        return 0
    if _is_number(value):
        return abs(value)
    if isinstance(value, bool):
        raise JqError(f"the boolean {value!r} has no length")
    return len(value)


def _keys(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return sorted(value)
    return list(range(len(list(_items(value)))))


def _has(value: Any, key: Any) -> bool:
    if isinstance(value, dict):
        return _text(key) in value
    if isinstance(value, list):
        return 0 <= _number(key) < len(value)
    if value is None:
        return False
    raise JqError(f"{value!r} is neither an object nor an array")


def _sum_of(value: Any) -> Any:
    total = None
    for each in _items(value):
        total = _plus(total, each)
    return total


def _type_of(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    if _is_number(value):
        return "number"
    return "string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"


def _to_number(value: Any) -> Any:
    if _is_number(value):
        return value
    try:
        return _number(json.loads(_text(value)))
    except ValueError:
        raise JqError(f"{value!r} is not a number") from None


def _to_string(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(_shown(value), separators=(",", ":"), ensure_ascii=False)


def _shown(value: Any) -> Any:
    """Return a copy of a value in which whole floats are integers, as gojq prints them."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_shown(each) for each in value]
    return {key: _shown(value[key]) for key in sorted(value)} if isinstance(value, dict) else value


def _contains(value: Any, part: Any) -> bool:
    if isinstance(value, dict) and isinstance(part, dict):
        return all(key in value and _contains(value[key], part[key]) for key in part)
    if isinstance(value, list) and isinstance(part, list):
        return all(any(_is_like(each, other) and _contains(each, other) for each in value) for other in part)
    if isinstance(value, str) and isinstance(part, str):
        return part in value
    if _is_like(value, part):
        return _order(value) == _order(part)
    raise JqError(f"{value!r} and {part!r} cannot be compared")


def _is_like(value: Any, other: Any) -> bool:
    return _type_of(value) == _type_of(other)


def _matches(value: Any, pattern: Any) -> bool:
    try:
        return re2.search(_text(pattern), _text(value)) is not None
    except re2.error:
        raise JqError(f"invalid regular expression: {pattern!r}") from None


def _joined(value: Any, by: Any) -> str:
    parts = list(_items(value))
    if any(isinstance(each, (list, dict)) for each in parts):
        raise JqError(f"{value!r} cannot be joined to a string")
    return _text(by).join("" if each is None else _to_string(each) for each in parts)


def _in_ascii(change: Callable[[str], str], text: str) -> str:
    return "".join(change(letter) if letter.isascii() else letter for letter in text)


def _extreme(function: Callable[..., Any], value: Any) -> Any:
    if not isinstance(value, list):
        raise JqError(f"{value!r} is not an array")
    return function(value, key=_order, default=None)


FUNCTIONS: Final[Mapping[str, Callable[..., Iterator[Any]]]] = MappingProxyType(
    {
        "select/1": _selected,
        "empty/0": _nothing,
        "map/1": _mapped,
        "any/0": partial(_any_of, _identity),
        "any/1": _any_of,
        "all/0": partial(_all_of, _identity),
        "all/1": _all_of,
        "not/0": partial(_of_input, lambda value: not _is_true(value)),
        "length/0": partial(_of_input, _length),
        "keys/0": partial(_of_input, _keys),
        "has/1": partial(_of_argument, _has),
        "add/0": partial(_of_input, _sum_of),
        "first/0": partial(_of_input, lambda value: _item(value, 0)),
        "last/0": partial(_of_input, lambda value: _item(value, -1)),
        "min/0": partial(_of_input, partial(_extreme, min)),
        "max/0": partial(_of_input, partial(_extreme, max)),
        "type/0": partial(_of_input, _type_of),
        "tonumber/0": partial(_of_input, _to_number),
        "tostring/0": partial(_of_input, _to_string),
        "ascii_downcase/0": partial(_of_input, lambda value: _in_ascii(str.lower, _text(value))),
        "ascii_upcase/0": partial(_of_input, lambda value: _in_ascii(str.upper, _text(value))),
        "startswith/1": partial(_of_argument, lambda value, part: _text(value).startswith(_text(part))),
        "endswith/1": partial(_of_argument, lambda value, part: _text(value).endswith(_text(part))),
        "contains/1": partial(_of_argument, _contains),
        "test/1": partial(_of_argument, _matches),
        "split/1": partial(_of_argument, lambda value, by: _split_text(_text(value), _text(by))),
        "join/1": partial(_of_argument, _joined),
    }
)
"""The supported functions by name and number of arguments."""
