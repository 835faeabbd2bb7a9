"""The story of a finding: the operator's requests and the changes of objects in one timeline, and what is left."""

from typing import Any

from memkube.hunting.end_state import Reference
from memkube.hunting.history import Change
from memkube.hunting.judging import Verdict
from memkube.hunting.plan import Plan
from memkube.hunting.run import Observation, Sent
from memkube.hunting.story import story_of

KEY = ("Secret", "default/w")
PLAN = Plan(pattern="crash", about="the operator is killed", disturbances=[])
VERDICTS = [Verdict("end-state", ("Secret default/w",), ("Secret default/w: data.a is 2, without the fault 1",))]


def secret(**data: str) -> dict[str, Any]:
    return {"kind": "Secret", "metadata": {"namespace": "default", "name": "w", "uid": "1"}, "data": data}


def sent(seconds: float, verb: str, code: int = 200, fault: str = "") -> Sent:
    return Sent(seconds, verb, "", "secrets", "w", code, fault)


def updated(seconds: float) -> Change:
    return Change("updated", "Secret", "default/w", "1", seconds, secret(a="2"), secret(a="1"))


def test_requests_and_changes_are_in_the_order_of_time() -> None:
    observed = Observation(started=100.0, step_ends=[0.5])
    observed.sent = [sent(1.0, "get"), sent(2.0, "update", 0, "drop-1")]
    observed.changes = [updated(101.5), updated(99.0)]
    timeline = story_of(PLAN, VERDICTS, observed, {}).timeline
    assert [(one.who, one.text, one.answer, one.fault) for one in timeline] == [
        ("workload", "the operator has started", "", ""),
        ("saw", "get secrets w", "200", ""),
        ("cluster", "Secret default/w is updated", "", ""),
        ("did", "update secrets w", "no answer", "drop-1"),
    ]
    assert timeline[2].lines == ["-  a: '1'", "+  a: '2'"]


def test_objects_that_violate_a_rule_are_compared_with_those_without_the_fault() -> None:
    other = ("ConfigMap", "default/other")
    reference = Reference({KEY: [secret(a="1", b="x")], other: [secret(a="1")]})
    observed = Observation(wrong_step=0, states={0: {KEY: [secret(a="2", b="x")]}})
    (left,) = story_of(PLAN, VERDICTS, observed, {0: reference}).left
    assert left.name == "Secret default/w"
    assert [line for line in left.lines if line[0] in "+-"] == ["-  a: '1'", "+  a: '2'"]


def test_an_object_that_is_missing_is_shown_whole() -> None:
    observed = Observation(wrong_step=0, states={0: {}})
    (left,) = story_of(PLAN, VERDICTS, observed, {0: Reference({KEY: [secret(a="1")]})}).left
    assert {line[0] for line in left.lines} == {"-"}


def test_reads_are_left_out_of_a_long_story_first() -> None:
    observed = Observation(sent=[*(sent(number, "get") for number in range(500)), sent(600, "delete")])
    assert [one.text for one in story_of(PLAN, VERDICTS, observed, {}).timeline] == ["delete secrets w"]


def test_the_steps_of_a_shorter_workload_keep_their_numbers() -> None:
    plan = PLAN.model_copy(update={"needs": [0, 2], "out_of": 4})
    timeline = story_of(plan, VERDICTS, Observation(step_ends=[0.5, 1.0, 2.0, 3.0]), {}).timeline
    assert [one.text for one in timeline] == [
        "the operator has started",
        "step 1 of the workload is over",
        "step 3 of the workload is over",
        "step 5 of the workload is over",
    ]
