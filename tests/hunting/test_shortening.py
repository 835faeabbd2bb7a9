"""Findings whose workload is made shorter."""

from collections.abc import Callable

import pytest

from memkube.errors import UsageError
from memkube.hunting.description import Hunt, Operator, Step
from memkube.hunting.plan import START, Disturbance, Plan
from memkube.hunting.report import Finding
from memkube.hunting.run import OutOfTime
from memkube.hunting.shortening import plan_without, reduced, shorter_findings

PLAN = Plan(pattern="crash", about="it is killed", disturbances=[Disturbance(restarts=True, after=2, until=2)])
COUNT = 5


def found(plan: Plan, reached: int, oracle: str = "end-state", objects: tuple[str, ...] = ("Secret a",)) -> Finding:
    return Finding("crash", oracle, "", [*objects], "", plan, reached=reached)


def needing(*steps: int) -> Callable[[Plan], list[Finding]]:
    """Return a function that finds the bug of a plan whose workload has all of these steps."""
    return lambda plan: [found(plan, len(plan.needs) - 1)] if {*steps} <= {*plan.needs} else []


def needs(find_again: Callable[[Plan], list[Finding]], reached: int = 3) -> list[list[int]]:
    return [one.details.needs for one in shorter_findings(found(PLAN, reached), COUNT, find_again)]


def test_later_steps_are_left_out_first_and_then_single_steps() -> None:
    assert needs(needing(0, 2)) == [[0, 1, 2, 3], [0, 1, 2], [0, 2]]


def test_a_finding_that_needs_all_steps_stays() -> None:
    assert needs(needing(*range(COUNT))) == []


def test_later_steps_stay_if_the_bug_is_not_found_without_them() -> None:
    assert needs(needing(2, 4), reached=3) == [[0, 1, 2, 4], [0, 2, 4], [2, 4]]


def test_a_step_stays_if_the_runs_without_faults_need_it() -> None:
    def find_again(plan: Plan) -> list[Finding]:
        if 1 not in plan.needs:
            raise UsageError("the run without faults fails")
        return needing(2)(plan)

    assert needs(find_again)[-1] == [1, 2]


@pytest.mark.parametrize("other", [found(PLAN, 0, oracle="livelock"), found(PLAN, 0, objects=("ConfigMap b",))])
def test_another_finding_does_not_count(other: Finding) -> None:
    assert needs(lambda _: [other]) == []


def test_shorter_findings_are_kept_if_the_time_is_over() -> None:
    def find_again(plan: Plan) -> list[Finding]:
        if len(plan.needs) < 4:
            raise OutOfTime
        return needing(2)(plan)

    shorter = shorter_findings(found(PLAN, 3), COUNT, find_again)
    assert next(shorter).details.needs == [0, 1, 2, 3]
    with pytest.raises(OutOfTime):
        next(shorter)


def test_a_disturbance_moves_with_its_steps() -> None:
    plan = PLAN.model_copy(update={"disturbances": [Disturbance(after=2, until=4, view=0)]})
    shorter = plan_without(plan, COUNT, {1, 3})
    assert shorter is not None
    assert [(one.after, one.until, one.view) for one in shorter.disturbances] == [(1, 2, 0)]
    assert (shorter.needs, shorter.out_of) == ([0, 2, 4], COUNT)


def test_a_shorter_plan_is_shortened_further() -> None:
    shorter = plan_without(PLAN.model_copy(update={"needs": [1, 2, 4], "out_of": COUNT}), COUNT, {0})
    assert shorter is not None
    assert shorter.needs == [2, 4]


@pytest.mark.parametrize("left_out", [{0}, {0, 1, 2, 3, 4}], ids=["the only step of a fault", "all steps"])
def test_no_plan_remains_without_the_step_that_it_disturbs(left_out: set[int]) -> None:
    plan = PLAN.model_copy(update={"disturbances": [Disturbance(after=START, until=0)]})
    assert plan_without(plan, COUNT, left_out) is None


def test_only_the_needed_steps_run() -> None:
    hunt = Hunt(operator=Operator(command=["true"]), workload=[Step(run=f"{number}") for number in range(3)])
    plan = PLAN.model_copy(update={"needs": [0, 2], "out_of": 3})
    assert [step.run for step in reduced(hunt, plan).workload] == ["0", "2"]
    with pytest.raises(UsageError, match="the workload of 3 steps: it needs only steps 1 and 3 of 4"):
        reduced(hunt, plan.model_copy(update={"out_of": 4}))
