"""Sprig's functions for lists (``list.go``). They return new lists, and leave their arguments unchanged."""

from collections.abc import Hashable, Mapping
from itertools import chain
from typing import Any, Final

from memkube.controllers.stages.languages.template_arguments import (
    MOST_ITEMS,
    TemplateFunction,
    check_length,
    int_of,
    list_of,
    taking,
    taking_at_least,
    text_of,
    to_int64,
    to_text,
)
from memkube.controllers.stages.languages.template_values import TemplateError, deep_equal, equality_key, is_true


def _first(items: Any) -> Any:
    return items[0] if list_of(items) else None


def _last(items: Any) -> Any:
    return items[-1] if list_of(items) else None


def _has(needle: Any, items: Any) -> bool:
    return items is not None and any(deep_equal(needle, each) for each in list_of(items))


def _uniq(items: Any) -> list[Any]:
    # Use a dict: comparing each item with all others would block the event loop for a long list.
    found: dict[Hashable, Any] = {}
    for each in list_of(items):
        found.setdefault(equality_key(each), each)
    return list(found.values())


def _without(items: Any, *omitted: Any) -> list[Any]:
    excluded = set(map(equality_key, omitted))
    return [each for each in list_of(items) if equality_key(each) not in excluded]


def _slice(items: Any, *bounds: Any) -> list[Any] | None:
    """Return a part of a list. Raises TemplateError if its bounds are outside of the list."""
    found = list_of(items)
    if not found:
        return None
    begin = to_int64(bounds[0]) if bounds else 0
    end = to_int64(bounds[1]) if len(bounds) > 1 else len(found)
    if not 0 <= begin <= end <= len(found):
        raise TemplateError("reflect.Value.Slice: slice index out of bounds")
    return found[begin:end]


def _chunk(size: Any, items: Any) -> list[list[Any]]:
    length, found = int_of(size), list_of(items)
    if length <= 0:
        raise TemplateError("the size of a chunk must be positive")
    return [found[index : index + length] for index in range(0, len(found), length)]


def _texts_in(items: Any) -> list[str]:
    """Return the items of a list as texts, without those that are nil. A value that is not a list is its only item."""
    listed = items if isinstance(items, list) else [items]
    return [to_text(each) for each in listed if each is not None]


def _join(by: Any, items: Any) -> str:
    separator, texts = text_of(by), _texts_in(items)
    check_length(sum(map(len, texts)) + len(separator) * (len(texts) - 1))
    return separator.join(texts)


def _sorted(items: Any) -> list[str]:
    # Go sorts texts by their bytes in UTF-8, which is the order of their code points.
    return sorted(_texts_in(items)) if isinstance(items, list) else [to_text(items)]


def until_step(first: Any, last: Any, step: Any) -> list[int]:
    """Return the integers from `first` to before `last`. Raises TemplateError if there are too many."""
    begin, end, by = int_of(first), int_of(last), int_of(step)
    if by == 0 or (end < begin) != (by < 0):
        return []
    numbers = range(begin, end, by)
    if len(numbers) > MOST_ITEMS:
        raise TemplateError(f"the list has more than {MOST_ITEMS} items")
    return list(numbers)


def _until(count: Any) -> list[int]:
    return until_step(0, count, 1 if int_of(count) >= 0 else -1)


_ALSO_MUST: Final[Mapping[str, TemplateFunction]] = {
    "append": taking(2, lambda items, item: [*list_of(items), item]),
    "push": taking(2, lambda items, item: [*list_of(items), item]),
    "prepend": taking(2, lambda items, item: [item, *list_of(items)]),
    "first": taking(1, _first),
    "last": taking(1, _last),
    "rest": taking(1, lambda items: list_of(items)[1:]),
    "initial": taking(1, lambda items: list_of(items)[:-1]),
    "reverse": taking(1, lambda items: list_of(items)[::-1]),
    "uniq": taking(1, _uniq),
    "has": taking(2, _has),
    "without": taking_at_least(1, _without),
    "compact": taking(1, lambda items: [each for each in list_of(items) if is_true(each)]),
    "slice": taking_at_least(1, _slice),
    "chunk": taking(2, _chunk),
}
"""Functions that have a second name with ``must``. Both fail for invalid arguments."""
LISTS: Final[Mapping[str, TemplateFunction]] = {
    **_ALSO_MUST,
    **{f"must{name[0].upper()}{name[1:]}": function for name, function in _ALSO_MUST.items()},
    "list": taking_at_least(0, lambda *items: list(items)),
    "tuple": taking_at_least(0, lambda *items: list(items)),
    "concat": taking_at_least(0, lambda *lists: list(chain.from_iterable(map(list_of, lists)))),
    "join": taking(2, _join),
    "toStrings": taking(1, _texts_in),
    "sortAlpha": taking(1, _sorted),
    "until": taking(1, _until),
    "untilStep": taking(3, until_step),
}
"""Functions for lists, by name."""
