"""Functions of templates: those of Go's ``text/template``, KWOK's ``Quote`` and ``YAML``, and those of Sprig.

A template that calls another function is refused when it is compiled.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import quote_plus

from memkube.controllers.stages.languages.formatting import printf
from memkube.controllers.stages.languages.sprig.dicts import DICTS
from memkube.controllers.stages.languages.sprig.encodings import ENCODINGS
from memkube.controllers.stages.languages.sprig.lists import LISTS
from memkube.controllers.stages.languages.sprig.numbers import NUMBERS
from memkube.controllers.stages.languages.sprig.paths import PATHS
from memkube.controllers.stages.languages.sprig.regular_expressions import REGULAR_EXPRESSIONS
from memkube.controllers.stages.languages.sprig.texts import TEXTS
from memkube.controllers.stages.languages.sprig.values import VALUES
from memkube.controllers.stages.languages.template_arguments import (
    TemplateFunction,
    int_of,
    taking,
    taking_at_least,
    text_of,
)
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


def _escaped_html(*values: Any) -> str:
    return _joined(*values).translate(_HTML)


def _escaped_script(*values: Any) -> str:
    """Escape a text for a string in JavaScript, as Go's ``JSEscapeString`` does."""
    return "".join(_SCRIPT.get(letter) or _in_script(letter) for letter in _joined(*values))


def _in_script(letter: str) -> str:
    return letter if letter.isprintable() else f"\\u{ord(letter):04X}"


def _joined(*values: Any) -> str:
    """Return the text to escape: the argument if it is a single string, otherwise the result of ``print``."""
    return str(values[0]) if len(values) == 1 and isinstance(values[0], str) else _print(*values)


_HTML: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;", "\0": "\ufffd"})
_SCRIPT: Final = {
    "\\": "\\\\",
    "'": "\\'",
    '"': '\\"',
    "<": "\\u003C",
    ">": "\\u003E",
    "&": "\\u0026",
    "=": "\\u003D",
}


# Functions that KWOK itself adds for templates.


def _quote_json(value: Any) -> str:
    data = to_json(value)
    return data if data.startswith('"') else quoted(data)


def _yaml(value: Any, indent: Any = 0) -> str:
    text, levels = to_yaml(value), int_of(indent)
    return ("\n" + text).replace("\n", "\n" + " " * (2 * levels)) if levels > 0 else text


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
    "printf": taking_at_least(1, lambda form, *values: printf(text_of(form), values)),
    "html": taking_at_least(0, _escaped_html),
    "js": taking_at_least(0, _escaped_script),
    "urlquery": taking_at_least(0, lambda *values: quote_plus(_joined(*values), safe="~")),
}
_KWOK: Final[Mapping[str, TemplateFunction]] = {
    "Quote": taking(1, _quote_json),
    "YAML": TemplateFunction(_yaml, 1, 2),
}
_SPRIG: Final[Mapping[str, TemplateFunction]] = {
    **VALUES,
    **LISTS,
    **DICTS,
    **TEXTS,
    **NUMBERS,
    **ENCODINGS,
    **REGULAR_EXPRESSIONS,
    **PATHS,
}
FUNCTIONS: Final[Mapping[str, TemplateFunction]] = MappingProxyType({**_GO, **_SPRIG, **_KWOK})
"""Functions that all templates can call, by name, apart from those whose results are times or random."""
