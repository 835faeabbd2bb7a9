"""Functions of templates: those of Go's ``text/template``, KWOK's ``Quote`` and ``YAML``, and some of Sprig.

A template that calls another function is refused when it is compiled.
"""

import base64
import hashlib
import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import re2

from memkube.apimachinery.go_integers import truncated_to_int64
from memkube.controllers.stages.languages.template_values import (
    Number,
    TemplateError,
    equals,
    is_less,
    is_true,
    kind,
    quoted,
    shown,
    to_json,
    to_yaml,
)

_ANY: Final = 2**31
"""Maximum number of arguments of a template function that accepts any number of arguments."""
_LONGEST: Final = 4_000_000
_MOST_ITEMS: Final = 100_000


class TemplateFunction(NamedTuple):
    """A function that templates may call, with the number of arguments that it takes."""

    call: Callable[..., Any]
    """Function that computes the result. It raises TemplateError for invalid arguments."""
    least: int
    """Minimum number of arguments of the function."""
    most: int
    """Maximum number of arguments of the function."""


def taking(count: int, call: Callable[..., Any]) -> TemplateFunction:
    """Return a template function that calls `call`, and takes exactly `count` arguments."""
    return TemplateFunction(call, count, count)


def taking_at_least(count: int, call: Callable[..., Any]) -> TemplateFunction:
    """Return a template function that calls `call`, and takes at least `count` arguments."""
    return TemplateFunction(call, count, _ANY)


def text_of(value: Any) -> str:
    """Return an argument that must be a string. Raises TemplateError for other types."""
    if value is None:
        raise TemplateError("invalid value; expected string")
    if not isinstance(value, str) or isinstance(value, Number):
        raise TemplateError(f"wrong type for value; expected string; got {kind(value)}")
    return value


def bool_of(value: Any) -> bool:
    """Return an argument that must be a boolean. Raises TemplateError for other types."""
    if not isinstance(value, bool):
        raise TemplateError(f"wrong type for value; expected bool; got {kind(value)}")
    return value


def _list_of(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TemplateError(f"wrong type for value; expected a list; got {kind(value)}")
    return value


def _dict_of(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TemplateError(f"wrong type for value; expected a map; got {kind(value)}")
    return value


def _int_of(value: Any) -> int:
    """Convert an argument to an integer as Sprig does: 0 if it is not a number."""
    if isinstance(value, (bool, int)):
        return int(value)
    if isinstance(value, float):
        return truncated_to_int64(value)
    if not isinstance(value, str):
        return 0
    try:
        return int(value, 0)
    except ValueError:
        return _int_of_float(value) if isinstance(value, Number) else 0


def _int_of_float(text: str) -> int:
    try:
        return truncated_to_int64(float(text))
    except ValueError:
        return 0


def _string(value: Any) -> str:
    """Convert an argument to a string as Sprig does."""
    return shown(value, nested=True)


def _bounded(text: str) -> str:
    if len(text) > _LONGEST:
        raise TemplateError(f"the text has more than {_LONGEST} characters")
    return text


# Functions that Go's ``text/template`` defines for all templates.


def _index(value: Any, *keys: Any) -> Any:
    if value is None:
        raise TemplateError("index of untyped nil")
    for key in keys:
        if value is None:
            raise TemplateError("index of nil pointer")
        value = _item(value, key)
    return value


def _item(value: Any, key: Any) -> Any:
    if isinstance(value, dict):
        if key is None:
            raise TemplateError("value is nil; should be of type string")
        if not isinstance(key, str) or isinstance(key, Number):
            raise TemplateError(f"value has type {kind(key)}; should be string")
        return value.get(key)
    if not isinstance(value, (list, str)):
        raise TemplateError(f"can't index item of type {kind(value)}")
    if key is None:
        raise TemplateError("cannot index slice/array with nil")
    if not isinstance(key, int) or isinstance(key, bool):
        raise TemplateError(f"cannot index slice/array with type {kind(key)}")
    items: Any = value.encode() if isinstance(value, str) else value
    if not 0 <= key < len(items):
        raise TemplateError(f"index out of range: {key}")
    return items[key]


def _length(value: Any) -> int:
    if value is None:
        raise TemplateError("len of nil pointer")
    if isinstance(value, str):
        return len(value.encode())
    if not isinstance(value, (list, dict)):
        raise TemplateError(f"len of type {kind(value)}")
    return len(value)


def _print(*values: Any) -> str:
    """Join values like Go's ``fmt.Sprint``, with a space between two values if neither is a string."""
    text = ""
    for index, value in enumerate(values):
        both = index and not isinstance(value, str) and not isinstance(values[index - 1], str)
        text += (" " if both else "") + shown(value, nested=True)
    return text


def _println(*values: Any) -> str:
    return " ".join(shown(value, nested=True) for value in values) + "\n"


def _printf(form: Any, *values: Any) -> str:
    """Format values like Go's ``fmt.Sprintf``, with the verbs %s, %v, %d, %q, %t and %% without flags."""
    parts, left = text_of(form).split("%"), list(values)
    text, index = parts[0], 1
    while index < len(parts):
        if not parts[index]:
            if index + 1 == len(parts):
                raise TemplateError("printf: the format ends with %")
            text += "%" + parts[index + 1]
            index += 2
            continue
        verb, rest = parts[index][0], parts[index][1:]
        if not left:
            raise TemplateError(f"printf: missing argument for %{verb}")
        text += _formatted(verb, left.pop(0)) + rest
        index += 1
    if left:
        raise TemplateError("printf: too many arguments")
    return text


def _formatted(verb: str, value: Any) -> str:
    is_int = isinstance(value, int) and not isinstance(value, bool)
    if verb == "v" or (verb == "d" and is_int) or (verb == "t" and isinstance(value, bool)):
        return shown(value, nested=True)
    if verb in "sq" and isinstance(value, str):
        return quoted(value) if verb == "q" else str(value)
    raise TemplateError(f"printf: %{verb} of {kind(value)} is not supported")


# Functions that KWOK itself adds for templates.


def _quote_json(value: Any) -> str:
    data = to_json(value)
    return data if data.startswith('"') else quoted(data)


def _yaml(value: Any, indent: Any = 0) -> str:
    if not isinstance(indent, int) or isinstance(indent, bool):
        raise TemplateError(f"wrong type for value; expected int; got {kind(indent)}")
    text = to_yaml(value)
    return ("\n" + text).replace("\n", "\n" + " " * (2 * indent)) if indent > 0 else text


# Functions of the Go library Sprig, which KWOK offers to templates.


def _default(given: Any, value: Any = None) -> Any:
    return value if is_true(value) else given


def _coalesce(*values: Any) -> Any:
    return next((value for value in values if is_true(value)), None)


def _ternary(yes: Any, no: Any, condition: Any) -> Any:
    return yes if bool_of(condition) else no


def _dict(*pairs: Any) -> dict[str, Any]:
    padded = [*pairs, ""] if len(pairs) % 2 else pairs
    return {_string(padded[index]): padded[index + 1] for index in range(0, len(pairs), 2)}


def _set(target: Any, key: Any, value: Any) -> Any:
    _dict_of(target)[text_of(key)] = value
    return target


def _unset(target: Any, key: Any) -> Any:
    _dict_of(target).pop(text_of(key), None)
    return target


def _keys(*dicts: Any) -> list[str]:
    return [key for each in dicts for key in sorted(_dict_of(each))]


def _values(each: Any) -> list[Any]:
    return [each[key] for key in sorted(_dict_of(each))]


def _first(items: Any) -> Any:
    return items[0] if _list_of(items) else None


def _last(items: Any) -> Any:
    return items[-1] if _list_of(items) else None


def _has(needle: Any, items: Any) -> bool:
    return items is not None and any(kind(each) == kind(needle) and each == needle for each in _list_of(items))


def _uniq(items: Any) -> list[Any]:
    found: list[Any] = []
    for each in _list_of(items):
        if not _has(each, found):
            found.append(each)
    return found


def _join(by: Any, items: Any) -> str:
    parts = items if isinstance(items, list) else [] if items is None else [items]
    return text_of(by).join(_string(each) for each in parts if each is not None)


def _repeat(count: Any, text: Any) -> str:
    if _int_of(count) * len(text_of(text)) > _LONGEST:
        raise TemplateError(f"the text has more than {_LONGEST} characters")
    return text_of(text) * _int_of(count)


def _trunc(count: Any, text: Any) -> str:
    size, data = _int_of(count), text_of(text).encode()
    cut = data[size:] if size < 0 and len(data) + size > 0 else data[:size] if 0 <= size < len(data) else data
    return cut.decode(errors="replace")


def _indent(count: Any, text: Any) -> str:
    pad = " " * min(max(_int_of(count), 0), 1000)
    return _bounded(pad + text_of(text).replace("\n", "\n" + pad))


def _decode(text: Any) -> str:
    try:
        return base64.b64decode(text_of(text), validate=True).decode(errors="replace")
    except ValueError as error:
        return str(error)


def _quote(*values: Any) -> str:
    return " ".join(quoted(_string(value)) for value in values if value is not None)


def _squote(*values: Any) -> str:
    return " ".join(f"'{_string(value)}'" for value in values if value is not None)


def _from_json(text: Any) -> Any:
    """Parse JSON. As in Go, all numbers become floats. Malformed JSON gives None."""
    try:
        return json.loads(text_of(text), parse_int=float)
    except ValueError:
        return None


def _added(*numbers: Any) -> int:
    return sum(_int_of(number) for number in numbers)


def _multiplied(first: Any, *others: Any) -> int:
    result = _int_of(first)
    for other in others:
        result *= _int_of(other)
    if abs(result) >= 2**63:
        raise TemplateError("the product is not a 64-bit integer")
    return result


def _divided(first: Any, second: Any) -> int:
    dividend, divisor = _int_of(first), _int_of(second)
    if divisor == 0:
        raise TemplateError("integer divide by zero")
    size = abs(dividend) // abs(divisor)
    return size if (dividend < 0) == (divisor < 0) else -size


def _remainder(first: Any, second: Any) -> int:
    return _int_of(first) - _int_of(second) * _divided(first, second)


def _until(count: Any) -> list[int]:
    last = _int_of(count)
    return _until_step(0, last, 1 if last >= 0 else -1)


def _until_step(first: Any, last: Any, step: Any) -> list[int]:
    begin, end, by = _int_of(first), _int_of(last), _int_of(step)
    if by == 0 or (end < begin) != (by < 0):
        return []
    numbers = range(begin, end, by)
    if len(numbers) > _MOST_ITEMS:
        raise TemplateError(f"the list has more than {_MOST_ITEMS} items")
    return list(numbers)


def _fail(message: Any) -> Any:
    raise TemplateError(text_of(message))


def _matches(pattern: Any, text: Any) -> bool:
    try:
        return re2.search(text_of(pattern), text_of(text)) is not None
    except re2.error:
        return False


def _of_texts(count: int, call: Callable[..., Any]) -> TemplateFunction:
    """Return a template function that calls `call`, and takes exactly `count` arguments, all of them strings."""
    return taking(count, lambda *texts: call(*(text_of(text) for text in texts)))


def _trimmed_left(prefix: str, text: str) -> str:
    return text.removeprefix(prefix)


_GO: Final[Mapping[str, TemplateFunction]] = {
    "eq": taking_at_least(1, lambda first, *others: equals(first, others)),
    "ne": taking(2, lambda first, second: not equals(first, (second,))),
    "lt": taking(2, is_less),
    "le": taking(2, lambda first, second: is_less(first, second) or equals(first, (second,))),
    "gt": taking(2, lambda first, second: not is_less(first, second) and not equals(first, (second,))),
    "ge": taking(2, lambda first, second: not is_less(first, second)),
    "not": taking(1, lambda value: not is_true(value)),
    "index": taking_at_least(1, _index),
    "len": taking(1, _length),
    "print": taking_at_least(0, _print),
    "println": taking_at_least(0, _println),
    "printf": taking_at_least(1, _printf),
}
_KWOK: Final[Mapping[str, TemplateFunction]] = {
    "Quote": taking(1, _quote_json),
    "YAML": TemplateFunction(_yaml, 1, 2),
}
_SPRIG: Final[Mapping[str, TemplateFunction]] = {
    "default": TemplateFunction(_default, 1, 2),
    "empty": taking(1, lambda value: not is_true(value)),
    "coalesce": taking_at_least(0, _coalesce),
    "ternary": taking(3, _ternary),
    "fail": taking(1, _fail),
    "dict": taking_at_least(0, _dict),
    "get": taking(2, lambda target, key: _dict_of(target).get(text_of(key), "")),
    "set": taking(3, _set),
    "unset": taking(2, _unset),
    "hasKey": taking(2, lambda target, key: text_of(key) in _dict_of(target)),
    "keys": taking_at_least(0, _keys),
    "values": taking(1, _values),
    "list": taking_at_least(0, lambda *items: list(items)),
    "first": taking(1, _first),
    "last": taking(1, _last),
    "rest": taking(1, lambda items: _list_of(items)[1:]),
    "initial": taking(1, lambda items: _list_of(items)[:-1]),
    "append": taking(2, lambda items, item: [*_list_of(items), item]),
    "prepend": taking(2, lambda items, item: [item, *_list_of(items)]),
    "concat": taking_at_least(0, lambda *lists: [each for items in lists for each in _list_of(items)]),
    "reverse": taking(1, lambda items: _list_of(items)[::-1]),
    "uniq": taking(1, _uniq),
    "has": taking(2, _has),
    "join": taking(2, _join),
    "sortAlpha": taking(1, lambda items: sorted(_string(each) for each in _list_of(items))),
    "until": taking(1, _until),
    "untilStep": taking(3, _until_step),
    "toString": taking(1, _string),
    "toJson": taking(1, to_json),
    "fromJson": taking(1, _from_json),
    "quote": taking_at_least(0, _quote),
    "squote": taking_at_least(0, _squote),
    "int": taking(1, _int_of),
    "int64": taking(1, _int_of),
    "add": taking_at_least(0, _added),
    "add1": taking(1, lambda number: _int_of(number) + 1),
    "sub": taking(2, lambda first, second: _int_of(first) - _int_of(second)),
    "mul": taking_at_least(1, _multiplied),
    "div": taking(2, _divided),
    "mod": taking(2, _remainder),
    "max": taking_at_least(1, lambda *numbers: max(_int_of(number) for number in numbers)),
    "min": taking_at_least(1, lambda *numbers: min(_int_of(number) for number in numbers)),
    "trim": _of_texts(1, str.strip),
    "trimPrefix": _of_texts(2, _trimmed_left),
    "trimSuffix": _of_texts(2, lambda suffix, text: text.removesuffix(suffix)),
    "upper": _of_texts(1, str.upper),
    "lower": _of_texts(1, str.lower),
    "contains": _of_texts(2, lambda part, text: part in text),
    "hasPrefix": _of_texts(2, lambda prefix, text: text.startswith(prefix)),
    "hasSuffix": _of_texts(2, lambda suffix, text: text.endswith(suffix)),
    "replace": _of_texts(3, lambda old, new, text: _bounded(text.replace(old, new))),
    "splitList": _of_texts(2, lambda by, text: text.split(by) if by else list(text)),
    "repeat": taking(2, _repeat),
    "trunc": taking(2, _trunc),
    "indent": taking(2, _indent),
    "nindent": taking(2, lambda count, text: "\n" + _indent(count, text)),
    "regexMatch": taking(2, _matches),
    "b64enc": _of_texts(1, lambda text: base64.b64encode(text.encode()).decode()),
    "b64dec": taking(1, _decode),
    "sha256sum": _of_texts(1, lambda text: hashlib.sha256(text.encode()).hexdigest()),
}
FUNCTIONS: Final[Mapping[str, TemplateFunction]] = MappingProxyType({**_GO, **_KWOK, **_SPRIG})
"""Functions that all templates can call, by name."""
