"""The objects after a change of a custom resource must be those of an operator that is started after the change."""

import pytest

from memkube.hunting.changed_inputs import ChangedInputs
from memkube.hunting.description import PatchedTarget, Step
from memkube.hunting.end_state import State
from memkube.hunting.judging import Judge
from memkube.hunting.plan import START, Plan
from memkube.hunting.run import Observation

KEY = ("ConfigMap", "default/a")


def having(size: str) -> State:
    return {KEY: [{"metadata": {}, "data": {"size": size}}]}


def compared(fresh: State | None, *sizes: str) -> tuple[ChangedInputs, Observation]:
    """Return what compares a run of one step and of changes, after which an object has these sizes, and the run."""
    plan = Plan(pattern="inputs", about="", disturbances=[], steps=[Step(run="true")] * (len(sizes) - 1))
    plan = plan.model_copy(update={"returns": fresh is None})
    states = {step: having(size) for step, size in enumerate(sizes)}
    comparison = ChangedInputs(1, Judge([Observation(states={0: states[0]})]), plan, fresh)
    assert all(comparison.is_settled(step, state) for step, state in states.items() if step < comparison.last)
    return comparison, Observation(states={comparison.last: states[comparison.last]})


@pytest.mark.parametrize(("size", "is_right"), [("large", True), ("small", False)])
def test_a_change_that_the_operator_ignores_is_wrong(size: str, is_right: bool) -> None:
    comparison, observed = compared(having("large"), "small", size)
    assert comparison.is_settled(1, observed.states[1]) is is_right
    assert [one.oracle for one in comparison.verdicts(observed)] == ([] if is_right else ["end-state"])


@pytest.mark.parametrize(("size", "is_right"), [("small", True), ("large", False)])
def test_the_end_of_a_change_that_the_operator_ignores_is_wrong(size: str, is_right: bool) -> None:
    comparison, observed = compared(None, "small", "large", size)
    assert comparison.is_settled(2, observed.states[2]) is is_right


@pytest.mark.parametrize(
    ("value", "others", "is_right"), [(1, [], True), (0, [], False), (1, [("Service", "default/a")], False)]
)
def test_objects_may_stay_if_the_operator_refuses_a_value(
    value: int, others: list[tuple[str, str]], is_right: bool
) -> None:
    target = PatchedTarget(apiVersion="example.com/v1", kind="Widget", name="w", patch={"spec": {"size": value}})
    plan = Plan(pattern="inputs", about="", disturbances=[], steps=[Step(patch=target)])
    undisturbed = Observation(states={START: {}, 0: having("small")})
    fresh: State = {key: [{"metadata": {}}] for key in [("Widget", "default/w"), *others]}
    comparison = ChangedInputs(1, Judge([undisturbed]), plan, fresh)
    assert comparison.is_settled(0, having("small"))
    state = {**fresh, **having("small")}
    assert comparison.is_settled(1, state) is is_right


def test_a_run_that_does_not_reach_its_end_has_no_differences() -> None:
    comparison, _ = compared(having("large"), "small", "small")
    assert comparison.differences(Observation()) == []
