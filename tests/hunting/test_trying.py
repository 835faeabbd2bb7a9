"""Plans that violate a rule are repeated, unless the time of the hunt is over."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from memkube.hunting.description import Hunt, Operator, Step
from memkube.hunting.end_state import State
from memkube.hunting.judging import Judge
from memkube.hunting.plan import Disturbance, Plan
from memkube.hunting.report import Coverage, HuntReport
from memkube.hunting.run import Observation, OutOfTime, Patience
from memkube.hunting.trying import Trials

HUNT = Hunt(operator=Operator(command=["true"]), workload=[Step(run="true")])
PLAN = Plan(pattern="crash", about="it is killed", disturbances=[Disturbance(restarts=True)], target="step 1")
KEY = ("ConfigMap", "default/a")
RIGHT = Observation(states={0: {KEY: [{"data": {}}]}})
WRONG = Observation(states={0: {}}, wrong_step=0, hit={0})


def trials(*runs: Observation | type[Exception], meanwhile: int | None = None) -> tuple[Trials, HuntReport]:
    """Return trials whose runs have these results, one after the other, and their report.

    During the run with the number `meanwhile`, another plan is tried.
    """
    report, left = HuntReport(1, coverage={PLAN.target: Coverage()}), list(runs)

    def run(plan: Plan | None, is_settled: Callable[[int, State], bool], patience: Patience) -> Any:
        number, found = len(runs) - len(left), left.pop(0)
        if number == meanwhile:
            tried.tried([PLAN])
        if isinstance(found, Observation):
            return found
        raise found

    tried = Trials(HUNT, Judge([RIGHT]), report, run, is_alone=True)
    return tried, report


def test_a_violation_that_is_repeated_is_a_finding() -> None:
    tried, report = trials(WRONG, WRONG, RIGHT)
    assert [finding.oracle for finding in tried.tried([PLAN]).findings] == ["end-state"]
    assert not report.unconfirmed


def test_a_violation_without_time_to_repeat_it_is_listed() -> None:
    tried, report = trials(WRONG, OutOfTime)
    assert tried.tried([PLAN]).findings == []
    assert report.unconfirmed == [
        "it is killed (end-state: ConfigMap default/a: does not exist, without the fault it does)"
    ]


def test_a_first_run_that_is_cut_short_tells_nothing() -> None:
    tried, report = trials(OutOfTime)
    with pytest.raises(OutOfTime):
        tried.tried([PLAN])
    assert not report.unconfirmed


def test_a_violation_is_confirmed_without_a_run_without_faults_if_another_run_is_right() -> None:
    tried, _ = trials(WRONG, WRONG, RIGHT, meanwhile=1)
    assert len(tried.tried([PLAN]).findings) == 1


def side_by_side(
    first: Observation, hit: list[Plan], again: Observation = WRONG
) -> tuple[list[Plan | None], list[bool]]:
    """Try the plans `hit` in one run, `first`, which waits on if it may, until the plan has been repeated.

    The plan's second run has the result `again`. Return the plans of the other runs, and whether the repeated run may
    end because the first one has waited.
    """
    repeated: list[Plan | None] = []
    may_end: list[bool] = []

    def run(plan: Plan | None, is_settled: Callable[[int, State], bool], patience: Patience) -> Observation:
        if not patience.confirms:
            is_waiting = patience.waits_on(first)
            while is_waiting and not patience.is_enough(first):
                time.sleep(0.001)
            return first
        repeated.append(plan)
        if plan is None:
            return right
        assert patience.waits_on(again)
        may_end.append(patience.is_enough(again))
        return again

    right = Observation(states={0: {KEY: [{"data": {}}]}, 1: {}})
    Trials(HUNT, Judge([right]), HuntReport(1), run, is_alone=False).tried(hit)
    return repeated, may_end


def test_a_repeated_run_may_end_if_the_first_one_waits_long_enough() -> None:
    first = Observation(states={0: {}}, wrong_step=0, hit={0}, has_waited=True)
    assert side_by_side(first, [PLAN]) == ([PLAN, None], [True])


def test_a_repeated_run_waits_itself_if_another_object_differs() -> None:
    first = Observation(states={0: {KEY: [{"data": {"a": "b"}}]}}, wrong_step=0, hit={0}, has_waited=True)
    assert side_by_side(first, [PLAN]) == ([PLAN, None], [False])


def test_a_repeated_run_waits_itself_if_the_first_one_had_other_faults() -> None:
    first = Observation(states={0: {}}, wrong_step=0, hit={0, 1}, has_waited=True)
    write = {"match": {}, "effect": {"type": "drop"}}
    one, other = (
        PLAN.model_copy(update={"at": step, "disturbances": [Disturbance(fault=write, until=step)]}) for step in (0, 1)
    )
    assert side_by_side(first, [one, other]) == ([one, None], [False])


def test_faults_in_earlier_steps_do_not_delay_an_operator_that_has_recovered() -> None:
    states = {0: RIGHT.states[0], 1: RIGHT.states[0]}
    first = Observation(states=states, wrong_step=1, hit={0, 1}, has_waited=True)
    early, late = (PLAN.model_copy(update={"at": step}) for step in (0, 1))
    assert side_by_side(first, [early, late], first) == ([late, None], [True])


def test_the_plan_that_disturbs_the_wrong_step_is_repeated_first() -> None:
    wrong = Observation(states={0: {}, 1: {}}, wrong_step=1, hit={0, 1})
    first, second, report = PLAN.model_copy(update={"at": 1}), PLAN.model_copy(update={"at": 0}), HuntReport(1)
    repeated: list[Plan | None] = []

    def run(plan: Plan | None, is_settled: Callable[[int, State], bool], patience: Patience) -> Observation:
        repeated.append(plan)
        return wrong if plan else right

    right = Observation(states={0: {}, 1: RIGHT.states[0]})
    (found,) = Trials(HUNT, Judge([right]), report, run, is_alone=True).tried([first, second]).findings
    assert found.details is first
    assert repeated[1:] == [first, None]


def test_a_difference_that_the_hidden_past_explains_is_none_in_a_run_with_several_plans() -> None:
    both = Observation(states={0: {}}, wrong_step=0, hit={0, 1})
    started_late, hiding = Observation(states={0: {}}), PLAN.model_copy(update={"pattern": "restart"})
    tried, report = trials(both, WRONG, started_late, RIGHT)
    assert tried.tried([PLAN, hiding]).findings == []
    assert report.flaky


def test_a_plan_whose_violation_did_not_recur_is_tried_three_times_more() -> None:
    tried, report = trials(*[WRONG, RIGHT] * 4)
    assert [tried.tried([PLAN]).later for _ in range(4)] == [*[[PLAN]] * 3, []]
    assert report.flaky == [PLAN.about]


def test_a_violation_that_recurs_later_is_not_flaky() -> None:
    tried, report = trials(WRONG, RIGHT, WRONG, WRONG, RIGHT)
    assert [len(tried.tried([PLAN]).findings) for _ in range(2)] == [0, 1]
    assert report.flaky == []


def test_plans_without_effect_in_a_run_that_violates_a_rule_are_tried_three_times_more() -> None:
    tried, report = trials(*[Observation(states={0: {}}, wrong_step=0)] * 4)
    plans = [PLAN.model_copy(update={"at": step, "about": f"step {step}"}) for step in (0, 1)]
    assert [tried.tried(plans) for _ in range(4)] == [*[([], [], plans)] * 3, ([], [], [])]
    assert report.unhit == ["step 0", "step 1"]


def test_changed_inputs_whose_violation_did_not_recur_are_tried_again() -> None:
    changes = {"pattern": "inputs", "steps": [Step(run="true")], "returns": True, "is_typed": True}
    inputs = PLAN.model_copy(update=changes)
    tried, report = trials(Observation(output="TypeError: a mistake"), Observation())
    assert tried.tried([inputs]) == ([], [], [inputs])
    assert report.flaky == [inputs.about]


def test_a_first_run_that_recovers_during_the_second_one_is_not_flaky() -> None:
    first, report = Observation(states={0: {}}, wrong_step=0, hit={0}), HuntReport(1)

    def run(plan: Plan | None, is_settled: Callable[[int, State], bool], patience: Patience) -> Observation:
        if patience.confirms:
            first.wrong_step = None
            return Observation(states=RIGHT.states, hit={0})
        assert patience.waits_on(first)
        while not patience.is_enough(first):
            time.sleep(0.001)
        return first

    assert Trials(HUNT, Judge([RIGHT]), report, run, is_alone=False).tried([PLAN]) == ([], [], [])
    assert report.flaky == []
