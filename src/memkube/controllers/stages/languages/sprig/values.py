"""Sprig's functions for values of any type: defaults, conditions and comparisons (``defaults.go``, ``reflect.go``)."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Final

from memkube.controllers.stages.languages.template_arguments import (
    TemplateFunction,
    bool_of,
    taking,
    taking_at_least,
    text_of,
)
from memkube.controllers.stages.languages.template_values import TemplateError, deep_equal, go_kind, is_true


def _default(given: Any, value: Any = None) -> Any:
    return value if is_true(value) else given


def _coalesce(*values: Any) -> Any:
    return next((value for value in values if is_true(value)), None)


def _ternary(yes: Any, no: Any, condition: Any) -> Any:
    return yes if bool_of(condition) else no


def _fail(message: Any) -> Any:
    raise TemplateError(text_of(message))


def _kind_is(wanted: Any, value: Any) -> bool:
    return text_of(wanted) == go_kind(value)


VALUES: Final[Mapping[str, TemplateFunction]] = {
    "default": TemplateFunction(_default, 1, 2),
    "empty": taking(1, lambda value: not is_true(value)),
    "coalesce": taking_at_least(0, _coalesce),
    "all": taking_at_least(0, lambda *values: all(map(is_true, values))),
    "any": taking_at_least(0, lambda *values: any(map(is_true, values))),
    "ternary": taking(3, _ternary),
    "fail": taking(1, _fail),
    "kindOf": taking(1, go_kind),
    "kindIs": taking(2, _kind_is),
    "deepEqual": taking(2, deep_equal),
    "deepCopy": taking(1, deepcopy),
    "mustDeepCopy": taking(1, deepcopy),
}
"""Functions for values of any type, by name."""
