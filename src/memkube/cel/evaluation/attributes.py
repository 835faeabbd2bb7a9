"""Attributes: a variable or the value of an expression, followed by field selections and indexes."""

from dataclasses import dataclass, replace
from typing import Protocol

from memkube.cel.errors import EvaluationError, no_such_overload
from memkube.cel.evaluation.qualifiers import Qualifier
from memkube.cel.evaluation.steps import Frame, Run, Step
from memkube.cel.values import MISSING, NONE, DocumentValue, Optional, Value


class Attribute(Protocol):
    """A variable or the value of an expression, with a chain of qualifiers: field selections and indexes.

    In ``self.name[0]``, the variable ``self`` has the qualifiers ``.name`` and ``[0]``.
    """

    @property
    def own_cost(self) -> int:
        """Cost of evaluating the attribute, without the costs of its qualifiers."""
        ...

    def then(self, qualifier: Qualifier) -> "Attribute":
        """Return a copy of the attribute with one more qualifier at its end."""
        ...

    def resolver(self, cost: int = 0) -> Run:
        """Return a function that evaluates the attribute, and adds `cost` and the qualifiers' costs to `Frame.cost`."""
        ...


@dataclass(frozen=True, slots=True)
class RelativeAttribute:
    """An attribute that begins with the value that the function `start` returns; the qualifiers apply to it."""

    start: Run
    qualifiers: tuple[Qualifier, ...] = ()

    @property
    def own_cost(self) -> int:
        return 1

    def then(self, qualifier: Qualifier) -> "RelativeAttribute":
        return replace(self, qualifiers=(*self.qualifiers, qualifier))

    def resolver(self, cost: int = 0) -> Run:
        start, qualifiers = self.start, self.qualifiers
        optional = any(qualifier.optional for qualifier in qualifiers)
        getters = [qualifier.get for qualifier in qualifiers]

        def resolve_optional(frame: Frame) -> Value:
            frame.cost += cost
            return _apply_optionally(frame, start(frame), qualifiers)

        def resolve(frame: Frame) -> Value:
            frame.cost += cost
            value = start(frame)
            if value.__class__ is Optional:
                return _apply_optionally(frame, value, qualifiers)
            for get in getters:
                value = get(frame, value)
            return value

        if not qualifiers and not cost:
            return start
        if optional:
            return resolve_optional
        return _single_qualifier_resolver(start, qualifiers, cost) if len(qualifiers) == 1 else resolve


def _single_qualifier_resolver(start: Run, qualifiers: tuple[Qualifier, ...], cost: int) -> Run:
    """Return a function that evaluates an attribute with one qualifier, such as ``self.name``, and counts `cost`.

    `start` gets the Frame of the evaluation, and returns the value to which the qualifier applies. Most attributes have
    one qualifier: the returned function evaluates them without a loop over qualifiers.
    """
    get = qualifiers[0].get

    def resolve(frame: Frame) -> Value:
        frame.cost += cost
        value = start(frame)
        return _apply_optionally(frame, value, qualifiers) if value.__class__ is Optional else get(frame, value)

    return resolve


def _apply_optionally(frame: Frame, value: Value, qualifiers: tuple[Qualifier, ...]) -> Value:
    optional = False
    if isinstance(value, Optional):
        if not value.present:
            return NONE
        optional, held = True, value.value
        # As in cel-go, the value inside an optional is used as plain JSON data, without its schema.
        value = held.document if isinstance(held, DocumentValue) else held
    for qualifier in qualifiers:
        optional = optional or qualifier.optional
        value = qualifier.find(frame, value) if optional else qualifier.get(frame, value)
        if value is MISSING:
            return NONE
    return Optional(value) if optional else value


@dataclass(frozen=True, slots=True)
class ConditionalAttribute:
    """One of two attributes that a condition chooses (``? :``). Qualifiers apply to the chosen attribute."""

    condition: Run
    truthy: Attribute
    falsy: Attribute

    @property
    def own_cost(self) -> int:
        return 0

    def then(self, qualifier: Qualifier) -> "ConditionalAttribute":
        return replace(self, truthy=self.truthy.then(qualifier), falsy=self.falsy.then(qualifier))

    def resolver(self, cost: int = 0) -> Run:
        condition, truthy, falsy = self.condition, self.truthy.resolver(), self.falsy.resolver()

        def resolve(frame: Frame) -> Value:
            frame.cost += cost
            chosen = condition(frame)
            if chosen is True:
                return truthy(frame)
            if chosen is False:
                return falsy(frame)
            raise no_such_overload()

        return resolve


def variable(name: str) -> Run:
    """Return a function that reads a variable that the evaluation's caller provides, such as ``self``."""

    def run(frame: Frame) -> Value:
        try:
            value = frame.variables[name]
        except KeyError:
            raise EvaluationError(f"no such attribute(s): {name}") from None
        if value.__class__ is EvaluationError:
            assert isinstance(value, EvaluationError)
            raise value
        return value

    return run


def loop_variable(slot: int) -> Run:
    """Return a function that reads the comprehension variable in the slot `slot` of a Frame.

    If the variable holds an EvaluationError, the function raises this error.
    """

    def run(frame: Frame) -> Value:
        value = frame.slots[slot]
        if value.__class__ is EvaluationError:
            assert isinstance(value, EvaluationError)
            raise value
        return value

    return run


def accumulator(slot: int, initial: Run) -> Run:
    """Return a function that reads the accumulator of a comprehension from the slot `slot` of a Frame.

    At the first read, the function `initial` is called with the Frame, and returns the accumulator's first value. If
    the accumulator holds an EvaluationError, the returned function raises this error.
    """

    def run(frame: Frame) -> Value:
        value = frame.slots[slot]
        if value is MISSING:
            try:
                value = initial(frame)
            except EvaluationError as error:
                value = error
            frame.slots[slot] = value
        if value.__class__ is EvaluationError:
            assert isinstance(value, EvaluationError)
            raise value
        return value

    return run


def as_step(attribute: Attribute) -> Step:
    """Return a step that evaluates the attribute and returns its value."""
    return Step(attribute.resolver(attribute.own_cost), attribute=attribute)


def presence_step(attribute: Attribute) -> Step:
    """Return the evaluation step for ``has()``: true if the last qualifier of the attribute finds a value.

    The step costs 1 less than the attribute, so that reading a variable costs nothing.
    """
    resolve = attribute.resolver(attribute.own_cost - 1)

    def run(frame: Frame) -> Value:
        found = resolve(frame)
        return found.present if isinstance(found, Optional) else found

    return Step(run, attribute=attribute)


def attribute_of(step: Step) -> Attribute:
    """Return the attribute that a step evaluates, or a new attribute that starts with the step's value."""
    return RelativeAttribute(step.run) if step.attribute is None else step.attribute
