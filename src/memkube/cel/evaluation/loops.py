"""Comprehensions: the loops that macros such as ``all``, ``map`` and ``optMap`` expand to."""

from collections.abc import Iterable
from dataclasses import dataclass

from memkube.cel.errors import EvaluationError
from memkube.cel.evaluation.steps import Cancelled, Frame, Run, Step
from memkube.cel.standard.maps import value_of_key
from memkube.cel.standard.message_format import go_type
from memkube.cel.values import MISSING, ListValue, MapValue, Value


@dataclass(frozen=True, slots=True)
class Loop:
    """The compiled parts of a comprehension: the list or map, the condition to continue, the body and the result.

    The loop continues even if its condition or body fails for an item, because a later item may decide the result.
    """

    ranged: Run
    condition: Step
    body: Run
    result: Run

    def step(self, gathered: int, first: int, second: int | None) -> Step:
        """Return a Step (a compiled part of an expression) that runs the loop.

        During an evaluation, the values of the accumulator and of the loop variables are items of the list
        ``Frame.slots``; `gathered`, `first` and `second` are their indexes. `second` is None if the loop has only one
        variable.
        """
        ranged, body, result = self.ranged, self.body, self.result
        condition = None if self.condition.constant is True else self.condition.run

        def run(frame: Frame) -> Value:
            items = ranged(frame)
            slots = frame.slots
            slots[gathered] = MISSING
            for item in _items(items) if second is None else _pairs(items):
                if second is None:
                    slots[first] = item
                else:
                    slots[first], slots[second] = item  # type: ignore[misc]
                if condition is not None:
                    try:
                        if condition(frame) is False:
                            break
                    except EvaluationError:
                        pass
                try:
                    slots[gathered] = body(frame)
                except EvaluationError as error:
                    slots[gathered] = error
                if frame.cost > frame.limit:
                    raise Cancelled
            return result(frame)

        return Step(run)


def _items(ranged: Value) -> Iterable[Value]:
    if isinstance(ranged, list | dict | MapValue):
        return ranged
    if isinstance(ranged, ListValue):
        return ranged.each()
    raise EvaluationError(f"got '{go_type(ranged)}', expected iterable type")


def _pairs(ranged: Value) -> Iterable[Value]:
    if isinstance(ranged, list):
        return enumerate(ranged)
    if isinstance(ranged, ListValue):
        return enumerate(ranged.each())
    if isinstance(ranged, dict):
        return ranged.items()
    if isinstance(ranged, MapValue):
        return [(key, value_of_key(ranged, key)) for key in ranged]
    raise EvaluationError(f"unsupported comprehension range type: {go_type(ranged)}")
