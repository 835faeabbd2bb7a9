"""Sprig's functions for maps (``dict.go``)."""

from collections.abc import Mapping
from typing import Any, Final

from memkube.controllers.stages.languages.template_arguments import (
    TemplateFunction,
    dict_of,
    taking,
    taking_at_least,
    text_of,
    to_text,
)
from memkube.controllers.stages.languages.template_values import TemplateError, is_true


def _dict(*pairs: Any) -> dict[str, Any]:
    padded = [*pairs, ""] if len(pairs) % 2 else pairs
    return {to_text(padded[index]): padded[index + 1] for index in range(0, len(pairs), 2)}


def _set(target: Any, key: Any, value: Any) -> Any:
    dict_of(target)[text_of(key)] = value
    return target


def _unset(target: Any, key: Any) -> Any:
    dict_of(target).pop(text_of(key), None)
    return target


def _keys(*dicts: Any) -> list[str]:
    return [key for each in dicts for key in sorted(dict_of(each))]


def _values(each: Any) -> list[Any]:
    return [each[key] for key in sorted(dict_of(each))]


def _pluck(key: Any, *dicts: Any) -> list[Any]:
    name = text_of(key)
    return [each[name] for each in dicts if name in dict_of(each)]


def _pick(each: Any, *keys: Any) -> dict[str, Any]:
    found = dict_of(each)
    return {name: found[name] for name in map(text_of, keys) if name in found}


def _omit(each: Any, *keys: Any) -> dict[str, Any]:
    omitted = set(map(text_of, keys))
    return {name: value for name, value in dict_of(each).items() if name not in omitted}


def _merge(target: Any, *sources: Any) -> Any:
    for source in sources:
        _fill(dict_of(target), dict_of(source), overwrites=False)
    return target


def _merge_overwriting(target: Any, *sources: Any) -> Any:
    for source in sources:
        _fill(dict_of(target), dict_of(source), overwrites=True)
    return target


def _fill(target: dict[str, Any], source: Mapping[str, Any], *, overwrites: bool) -> None:
    """Add the entries of `source` to the map `target`, as the Go library mergo does.

    If both have a map for the same key, these maps are merged in the same way. Any other value in `target` is kept if
    it is not empty, unless `overwrites` is True.
    """
    for key, value in source.items():
        present = target.get(key)
        if value is None:
            if overwrites:
                target[key] = None
        elif present and isinstance(present, dict) and isinstance(value, dict):
            _fill(present, value, overwrites=overwrites)
        elif overwrites or not is_true(present):
            target[key] = value


def _dig(*arguments: Any) -> Any:
    """Return the value at a path of keys in nested maps, or a default if there is none.

    The arguments are the keys, the default and the map.
    """
    *keys, default, found = arguments
    for key in keys:
        if not isinstance(found, dict):
            raise TemplateError("interface conversion: the value on the path is not a map")
        if text_of(key) not in found:
            return default
        found = found[key]
    return found


DICTS: Final[Mapping[str, TemplateFunction]] = {
    "dict": taking_at_least(0, _dict),
    "get": taking(2, lambda target, key: dict_of(target).get(text_of(key), "")),
    "set": taking(3, _set),
    "unset": taking(2, _unset),
    "hasKey": taking(2, lambda target, key: text_of(key) in dict_of(target)),
    "keys": taking_at_least(0, _keys),
    "values": taking(1, _values),
    "pluck": taking_at_least(1, _pluck),
    "pick": taking_at_least(1, _pick),
    "omit": taking_at_least(1, _omit),
    "merge": taking_at_least(1, _merge),
    "mustMerge": taking_at_least(1, _merge),
    "mergeOverwrite": taking_at_least(1, _merge_overwriting),
    "mustMergeOverwrite": taking_at_least(1, _merge_overwriting),
    "dig": taking_at_least(3, _dig),
}
"""Functions for maps, by name."""
