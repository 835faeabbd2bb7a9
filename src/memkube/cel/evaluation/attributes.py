"""Ways through values: a variable, or what something is evaluated to, and fields and indices from there."""

from dataclasses import dataclass, replace
from typing import Protocol

from memkube.cel.errors import EvaluationError, no_such_overload
from memkube.cel.evaluation.qualifiers import Qualifier
from memkube.cel.evaluation.steps import Frame, Run, Step
from memkube.cel.values import MISSING, NONE, Held, Optional, Value


class Attribute(Protocol):
    """A way. `resolver` follows it, with what its steps cost; `own_cost` is that of the way as a whole."""

    @property
    def own_cost(self) -> int:
        """What is added where the way is an expression of its own."""
        ...

    def then(self, qualifier: Qualifier) -> "Attribute":
        """The way with one step more."""
        ...

    def resolver(self, cost: int = 0) -> Run:
        """Follows it, and adds a cost."""
        ...


@dataclass(frozen=True, slots=True)
class Way:
    """From what `start` gives."""

    start: Run
    qualifiers: tuple[Qualifier, ...] = ()

    @property
    def own_cost(self) -> int:
        """See Attribute."""
        return 1

    def then(self, qualifier: Qualifier) -> "Way":
        """See Attribute."""
        return replace(self, qualifiers=(*self.qualifiers, qualifier))

    def resolver(self, cost: int = 0) -> Run:
        """See Attribute."""
        start, qualifiers = self.start, self.qualifiers
        optional = any(qualifier.optional for qualifier in qualifiers)
        getters = [qualifier.get for qualifier in qualifiers]

        def resolve_optional(frame: Frame) -> Value:
            frame.cost += cost
            return _followed(frame, start(frame), qualifiers)

        def resolve(frame: Frame) -> Value:
            frame.cost += cost
            value = start(frame)
            if value.__class__ is Optional:
                return _followed(frame, value, qualifiers)
            for get in getters:
                value = get(frame, value)
            return value

        if not qualifiers and not cost:
            return start
        if optional:
            return resolve_optional
        return _one_step(start, qualifiers, cost) if len(qualifiers) == 1 else resolve


def _one_step(start: Run, qualifiers: tuple[Qualifier, ...], cost: int) -> Run:
    """Most ways are a variable's field."""
    get = qualifiers[0].get

    def resolve(frame: Frame) -> Value:
        frame.cost += cost
        value = start(frame)
        return _followed(frame, value, qualifiers) if value.__class__ is Optional else get(frame, value)

    return resolve


def _followed(frame: Frame, value: Value, qualifiers: tuple[Qualifier, ...]) -> Value:
    optional = False
    if isinstance(value, Optional):
        if not value.present:
            return NONE
        optional, held = True, value.value
        # cel-go takes the plain value out, which has no schema any more.
        value = held.document if isinstance(held, Held) else held
    for qualifier in qualifiers:
        optional = optional or qualifier.optional
        value = qualifier.find(frame, value) if optional else qualifier.get(frame, value)
        if value is MISSING:
            return NONE
    return Optional(value) if optional else value


@dataclass(frozen=True, slots=True)
class Either:
    """One of two ways, as a condition says; what is selected is selected from both."""

    condition: Run
    truthy: Attribute
    falsy: Attribute

    @property
    def own_cost(self) -> int:
        """See Attribute."""
        return 0

    def then(self, qualifier: Qualifier) -> "Either":
        """See Attribute."""
        return replace(self, truthy=self.truthy.then(qualifier), falsy=self.falsy.then(qualifier))

    def resolver(self, cost: int = 0) -> Run:
        """See Attribute."""
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
    """A variable of the caller's."""

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
    """A variable of a loop, whose value may be that there is none."""

    def run(frame: Frame) -> Value:
        value = frame.slots[slot]
        if value.__class__ is EvaluationError:
            assert isinstance(value, EvaluationError)
            raise value
        return value

    return run


def accumulator(slot: int, initial: Run) -> Run:
    """What a loop gathers, which begins when it is first looked at."""

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
    """The way as an expression of its own."""
    return Step(attribute.resolver(attribute.own_cost), attribute=attribute)


def as_test(attribute: Attribute) -> Step:
    """Whether the way's last step leads anywhere, which costs no more than the steps."""
    resolve = attribute.resolver(attribute.own_cost - 1)

    def run(frame: Frame) -> Value:
        found = resolve(frame)
        return found.present if isinstance(found, Optional) else found

    return Step(run, attribute=attribute)


def attribute_of(step: Step) -> Attribute:
    """The way that a step is, or one from what it is evaluated to."""
    return Way(step.run) if step.attribute is None else step.attribute
