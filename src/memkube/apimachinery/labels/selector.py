"""Label selectors: their requirements, and matching them with the labels of an object."""

import re
from collections.abc import Callable, Mapping, Sequence
from operator import gt, lt
from typing import Final, Literal, NamedTuple, TypeAlias

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    aggregate_message,
    invalid,
)
from memkube.apimachinery.meta.v1.selectors import LabelSelector as LabelSelectorModel
from memkube.apimachinery.names import is_label_value, is_qualified_name
from memkube.apimachinery.shown_values import quoted

Labels: TypeAlias = Mapping[str, str]
Predicate: TypeAlias = Callable[[Labels], bool]
Operator: TypeAlias = Literal["in", "notin", "=", "==", "!=", "gt", "lt", "exists", "!"]

_VALUES: Final = FieldPath("values")
_MODEL_OPERATORS: Final[dict[str, Operator]] = {"In": "in", "NotIn": "notin", "Exists": "exists", "DoesNotExist": "!"}
_integer: Final = re.compile(r"[+-]?[0-9]+").fullmatch


class Requirement(NamedTuple):
    """A condition of a label selector for one label; operators are those of apimachinery's ``selection`` package."""

    key: str
    operator: Operator
    values: tuple[str, ...] = ()

    @classmethod
    def checked(cls, key: str, operator: Operator, values: Sequence[str]) -> "Requirement":
        """Return a requirement. Raises ValueError with Kubernetes' message if key, operator or values are invalid."""
        if errors := requirement_errors(key, operator, values):
            raise ValueError(aggregate_message(errors))
        return cls(key, operator, tuple(values))

    def compiled(self) -> Predicate:
        """Return a function that takes the labels of an object and returns True if they meet the requirement."""
        key, values = self.key, self.values
        match self.operator:
            case "exists":
                return lambda labels: key in labels
            case "!":
                return lambda labels: key not in labels
            case "gt" | "lt":
                return _comparison(key, int(values[0]), gt if self.operator == "gt" else lt)
            case "notin" | "!=":
                return lambda labels: labels.get(key) not in values
            case _ if len(values) == 1:
                value = values[0]
                return lambda labels: labels.get(key) == value
            case _:
                return lambda labels: labels.get(key) in values

    def __str__(self) -> str:
        """Format the requirement as in the query parameter labelSelector."""
        key, operator, values = self.key, self.operator, sorted(self.values)
        match operator:
            case "exists":
                return key
            case "!":
                return f"!{key}"
            case "in" | "notin":
                return f"{key} {operator} ({','.join(values)})"
            case "gt" | "lt":
                return f"{key}{'>' if operator == 'gt' else '<'}{values[0]}"
            case _:
                return f"{key}{operator}{values[0]}"


class LabelSelector:
    """A label selector: it selects objects whose labels meet all requirements."""

    __slots__ = ("matches", "requirements")

    matches: Predicate
    """Function that returns True if the selector selects an object with these labels."""

    def __init__(self, requirements: Sequence[Requirement] = ()) -> None:
        self.requirements = tuple(requirements)
        self.matches = _all([requirement.compiled() for requirement in self.requirements])

    def __str__(self) -> str:
        """Format the selector as in the query parameter labelSelector, sorted by label."""
        return ",".join(str(requirement) for requirement in sorted(self.requirements, key=lambda r: r.key))

    @classmethod
    def nothing(cls) -> "LabelSelector":
        """Return a selector that matches no object."""
        selector = cls()
        selector.matches = lambda labels: False
        return selector


def from_model(model: LabelSelectorModel | None) -> LabelSelector:
    """Convert the label selector of an API object: None selects no object, an empty selector selects all objects.

    Raises ValueError with Kubernetes' message if the selector is invalid.
    """
    if model is None:
        return LabelSelector.nothing()
    requirements = [Requirement.checked(key, "=", (value,)) for key, value in model.matchLabels.items()]
    for expression in model.matchExpressions:
        operator = _MODEL_OPERATORS.get(expression.operator)
        if operator is None:
            raise ValueError(f"{quoted(expression.operator)} is not a valid label selector operator")
        requirements.append(Requirement.checked(expression.key, operator, expression.values))
    return LabelSelector(requirements)


def parsed_integer(text: str) -> int | None:
    """Return a label value as a 64-bit integer; None if it is not an integer."""
    if not _integer(text):
        return None
    number = int(text)
    return number if -(2**63) <= number < 2**63 else None


def _all(predicates: list[Predicate]) -> Predicate:
    match predicates:
        case []:
            return lambda labels: True
        case [single]:
            return single
        case [first, second]:
            return lambda labels: first(labels) and second(labels)
        case _:
            return lambda labels: all(predicate(labels) for predicate in predicates)


def _comparison(key: str, bound: int, compare: Callable[[int, int], bool]) -> Predicate:
    def matches(labels: Labels) -> bool:
        number = parsed_integer(labels.get(key, ""))
        return number is not None and compare(number, bound)

    return matches


def requirement_errors(key: str, operator: Operator, values: Sequence[str]) -> list[FieldError]:
    """Return the errors in the key, operator and values of a requirement. Their paths begin at the requirement."""
    errors = [*_key_errors(key), *_operand_errors(operator, values)]
    for index, value in enumerate(values):
        if problems := is_label_value(value):
            errors.append(invalid(_VALUES.item(index).key(key), value, "; ".join(problems)))
    return errors


def _key_errors(key: str) -> list[FieldError]:
    problems = is_qualified_name(key)
    return [invalid("key", key, "; ".join(problems))] if problems else []


def _operand_errors(operator: Operator, values: Sequence[str]) -> list[FieldError]:
    shown = list(values) or None
    match operator:
        case "in" | "notin" if not values:
            return [invalid(_VALUES, shown, "for 'in', 'notin' operators, values set can't be empty")]
        case "exists" | "!" if values:
            return [invalid(_VALUES, shown, "values set must be empty for exists and does not exist")]
        case "gt" | "lt":
            detail = "for 'Gt', 'Lt' operators, the value must be an integer"
            return [invalid(_VALUES.item(i), v, detail) for i, v in enumerate(values) if parsed_integer(v) is None]
    return []
