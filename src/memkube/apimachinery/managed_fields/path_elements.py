"""One step of a path to a field, in the form in which FieldsV1 writes it.

``f:name`` is a field of a struct or a key of a map, ``k:{"name":"app"}`` an item of a map list, ``v:"x"`` a
member of a set, ``i:0`` an index. Source: structured-merge-diff's ``fieldpath``.
"""

from typing import Any, Final

import orjson

from memkube.apimachinery.patches.go_text import go_text
from memkube.apimachinery.shown_values import quoted

_HTML_ESCAPES: Final = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)
_RANKS: Final[dict[type, int]] = {float: 0, int: 0, str: 1, bool: 2, list: 3, dict: 4, type(None): 5}


class InvalidPathElementError(ValueError):
    """A step that FieldsV1 cannot hold."""


def key_element(keys: tuple[tuple[str, Any], ...]) -> str:
    """The step to the item of a map list with these keys, which are sorted by name."""
    if len(keys) == 1:
        name, value = keys[0]
        if type(value) is str and value.isalnum() and value.isascii():
            return f'k:{{"{name}":"{value}"}}'
    return f"k:{_json(dict(keys))}"


def value_element(value: Any) -> str:
    """The step to this member of a set."""
    return f"v:{_json(value)}"


def parsed(element: str) -> str | None:
    """A client's step in the form used here; None for kinds of steps that are unknown.

    Raises InvalidPathElementError.
    """
    kind, content = element[:2], element[2:]
    if len(kind) < 2 or kind[1] != ":":
        raise InvalidPathElementError(f"missing colon: {element}")
    if kind == "f:":
        return element
    if kind not in ("k:", "v:", "i:"):
        return None
    try:
        value = int(content) if kind == "i:" else orjson.loads(content)
    except ValueError as error:
        raise InvalidPathElementError(str(error)) from error
    if kind == "i:":
        return f"i:{value}"
    if kind == "v:":
        return value_element(value)
    if not isinstance(value, dict):
        raise InvalidPathElementError(f"keys are no object: {content}")
    return key_element(tuple(sorted(value.items())))


def order(element: str) -> tuple[Any, ...]:
    """Sorts steps as the reference does: fields, then keys, values and indexes, each by its value."""
    kind, content = element[0], element[2:]
    if kind == "f":
        return (0, content)
    if kind == "k":
        return (1, *((name, *value_order(value)) for name, value in orjson.loads(content).items()))
    if kind == "v":
        return (2, *value_order(orjson.loads(content)))
    return (3, int(content)) if kind == "i" else (-1,)


def value_order(value: Any) -> tuple[int, Any]:
    """Sorts scalars of different types as the reference does."""
    rank = _RANKS.get(type(value), 1)
    return rank, value if rank < 3 else _json(value)


def shown_element(element: str) -> str:
    """A step as messages show it: ``.name``, ``[name="app"]``, ``[="x"]`` or ``[0]``."""
    kind, content = element[0], element[2:]
    if kind == "f":
        return f".{content}"
    if kind == "k":
        return f"[{','.join(f'{name}={_shown(value)}' for name, value in orjson.loads(content).items())}]"
    return f"[={_shown(orjson.loads(content))}]" if kind == "v" else f"[{content}]"


def shown_path(path: tuple[str, ...]) -> str:
    """A path as messages show it: ``.spec.containers[name="app"].image``."""
    return "".join(map(shown_element, path))


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return quoted(value)
    return "null" if value is None else go_text(value)


def _json(value: Any) -> str:
    return orjson.dumps(value).decode().translate(_HTML_ESCAPES)
