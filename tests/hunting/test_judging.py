"""Runs with faults are judged by what the runs without faults show."""

from typing import Any

import pytest

from memkube.hunting.end_state import Difference, Reference, State
from memkube.hunting.history import Change
from memkube.hunting.judging import (
    Judge,
    is_due_to_change,
    is_stuck,
    programming_errors,
    without_history,
    without_sizes,
)
from memkube.hunting.plan import START, Disturbance, Plan
from memkube.hunting.run import Observation, Sent


def observation(*what: str, lags_since: float | None = None) -> Observation:
    """Return a run in which a ConfigMap is created and deleted repeatedly, with one change a second."""
    changes, sent = [], []
    for second, one in enumerate(what):
        document = {"kind": "ConfigMap", "metadata": {"name": "a", "uid": f"{second // 2}"}}
        changes.append(Change(one, "ConfigMap", "a", f"{second // 2}", float(second), document, None))
        if one == "deleted":
            sent.append(Sent(float(second), "delete", "", "configmaps", "a", 200, ""))
    return Observation(states={START: {}}, sent=sent, changes=changes, lags_since=lags_since)


ONCE = observation("created", "deleted")
AGAIN = ("created", "deleted", "created", "deleted")


def test_a_further_deletion_is_wrong() -> None:
    assert [one.oracle for one in Judge([ONCE]).verdicts(observation(*AGAIN))] == ["deletion"]


def test_an_object_of_an_older_view_may_be_deleted_again() -> None:
    assert Judge([ONCE]).verdicts(observation(*AGAIN, lags_since=1.5)) == []


def test_an_object_that_was_right_during_a_fault_may_not_be_deleted() -> None:
    observed = observation(*AGAIN, lags_since=1.5)
    observed.expected_uids = {"1"}
    assert [one.oracle for one in Judge([ONCE]).verdicts(observed)] == ["deletion"]


def test_an_object_from_after_a_fault_may_be_deleted_again() -> None:
    observed = observation(*AGAIN)
    observed.sent.append(Sent(1.5, "create", "", "configmaps", "a", 0, "drop-1"))
    assert Judge([ONCE]).verdicts(observed) == []


def test_an_object_from_before_a_fault_may_not_be_deleted() -> None:
    observed = observation(*AGAIN)
    observed.sent.append(Sent(2.5, "create", "", "configmaps", "a", 0, "drop-1"))
    assert Judge([ONCE]).verdicts(observed)


def test_an_object_from_before_the_older_view_may_not_be_deleted() -> None:
    assert Judge([ONCE]).verdicts(observation(*AGAIN, lags_since=2.5))


def test_a_deletion_that_is_repeated_until_the_object_is_gone_counts_once() -> None:
    observed = observation("created", "deleted")
    observed.sent.append(Sent(2.0, "delete", "", "configmaps", "a", 200, ""))
    assert Judge([ONCE]).verdicts(observed) == []


KEY = ("ConfigMap", "default/a")


def values(*values: str) -> dict[int, State]:
    """The states after each step, with one ConfigMap that has these values."""
    return {step: {KEY: [{"data": {"n": value}}]} for step, value in enumerate(values)}


@pytest.mark.parametrize(
    ("along", "fresh", "is_due"),
    [
        (["1", "1", "1"], "3", True),
        (["a", "b", "b"], "a", True),
        (["1", "2", "3"], "1", False),
        (["a", "b", "c"], "a", False),
    ],
    ids=["never changed", "not changed back", "a counter", "depends on the past"],
)
def test_a_value_that_did_not_follow_its_resource_is_wrong(along: list[str], fresh: str, is_due: bool) -> None:
    one = Difference(KEY, "", path=("data", "n"))
    assert is_due_to_change(one, values(*along), 2, values(fresh)[0]) is is_due


def test_claims_may_stay_when_their_resource_changes() -> None:
    one = Difference(("PersistentVolumeClaim", "default/a"), "")
    assert not is_due_to_change(one, {}, 0, {})


CLAIM = ("PersistentVolumeClaim", "default/a")


def sized(size: int, record: str, color: str) -> State:
    """A claim of this size in GiB, and a ConfigMap with this record of the size and this color."""
    claim = {"spec": {"resources": {"requests": {"storage": f"{size}Gi"}}}}
    return {CLAIM: [claim], KEY: [{"data": {"size": record, "color": color}}]}


def test_a_volume_that_cannot_shrink_keeps_its_size_and_its_records() -> None:
    along, fresh = sized(10, "10", "red"), sized(9, "9", "blue")
    found = Reference(fresh).differences(along)
    assert [one.path for one in without_sizes(found, along, fresh)] == [("data", "color")]


def test_a_record_of_the_size_of_a_volume_that_did_not_grow_is_wrong() -> None:
    along, fresh = sized(9, "9", "red"), sized(10, "10", "red")
    found = Reference(fresh).differences(along)
    assert ("data", "size") in [one.path for one in without_sizes(found, along, fresh)]


WIDGET = ("Widget", "default/w")


@pytest.mark.parametrize(
    ("field", "values", "is_history"),
    [
        ("count", (3, 1), True),
        ("runs", (["a", "b"], ["b"]), True),
        ("ready", ("3/3", "1/1"), False),
        ("appliedGeneration", (3, 1), False),
        ("conditions", (["a", "b"], ["b"]), False),
    ],
)
def test_objects_that_the_operator_counts_are_a_history(field: str, values: tuple[Any, Any], is_history: bool) -> None:
    states: list[State] = [{WIDGET: [{"metadata": {}, "status": {field: value}}]} for value in values]
    found = [Difference(KEY, "exists"), Difference(WIDGET, "", path=("status", field))]
    assert (Difference(KEY, "exists") not in without_history(found, *states)) is is_history


@pytest.mark.parametrize("name", ["default/run-*", "default/(a name that differs)"])
def test_jobs_and_their_pods_are_a_history(name: str) -> None:
    owner = {"kind": "Job", "name": "run"}
    pod: State = {("Pod", "default/run-*"): [{"metadata": {"ownerReferences": [owner]}}]}
    found = [Difference(("Job", "default/run"), "exists"), Difference(("Pod", name), "exists")]
    assert without_history(found, pod) == []


def test_a_field_that_differs_is_no_history() -> None:
    one = Difference(("Job", "default/run"), "", path=("spec", "suspend"))
    assert without_history([one], {}) == [one]


def test_a_value_is_stuck_if_it_does_not_change_back() -> None:
    one = Difference(KEY, "", path=("data", "n"))
    assert is_stuck(one, values("2")[0], values("2")[0], before_changes=values("1")[0])
    assert not is_stuck(one, values("3")[0], values("2")[0], before_changes=values("1")[0])


def test_an_object_may_be_named_after_a_generation() -> None:
    states: list[State] = [{("Job", f"default/w-{name}"): [{}]} for name in range(3)]
    one = Difference(("Job", "default/w-0"), "")
    assert not is_stuck(one, states[2], states[1], before_changes=states[0])
    assert is_stuck(one, states[1], states[1], before_changes=states[0])


def test_a_status_field_that_is_new_may_stay() -> None:
    one = Difference(KEY, "", path=("status", "done"))
    state: State = {KEY: [{"status": {"done": 1}}]}
    assert not is_stuck(one, state, state, before_changes={KEY: [{"status": {}}]})
    assert is_stuck(one, state, state, before_changes={KEY: [{"status": {"done": 2}}]})


def killed(resource: str, after: bool, group: str = "example.com") -> Plan:
    """Return a plan that kills the operator before or after its patch of a resource takes effect."""
    match = {"verbs": ["patch"], "groups": [group], "resources": [resource]}
    fault = {"match": match, "effect": {"type": "drop", "afterWrite": after}}
    return Plan(pattern="crash", about="", disturbances=[Disturbance(fault=fault, kills=True)])


def handled(
    step: int, status: Any, spec: int = 1, by: str = "kopf.zalando.org/a", is_wrong: bool = True
) -> Observation:
    """Return a run with a custom resource that kopf handles. After each step before `step`, its status is ``a: 0``."""
    found: dict[int, State] = {}
    for number in range(step + 1):
        content = {"status": status if number == step else {"a": 0}, "spec": {"n": spec}}
        metadata = {"annotations": {by: "{}"}}
        found[number] = {("Widget", "default/w"): [{"apiVersion": "example.com/v1", "metadata": metadata, **content}]}
    return Observation(states=found, wrong_step=step if is_wrong else None)


@pytest.mark.parametrize("plan", [killed("widgets", after=True), killed("widgets/status", after=False)])
@pytest.mark.parametrize("status", [{}, {"a": 0}])
def test_kopf_may_lose_a_status_if_it_is_killed_between_its_patches(plan: Plan, status: Any) -> None:
    judge = Judge([handled(1, {"a": 1}, is_wrong=False)])
    assert judge.verdicts(handled(1, status), plan) == []


@pytest.mark.parametrize(
    "plan", [killed("widgets", after=False), killed("widgets/status", after=True), killed("configmaps", True, group="")]
)
def test_kopf_loses_no_status_if_it_is_killed_elsewhere(plan: Plan) -> None:
    judge = Judge([handled(1, {"a": 1}, is_wrong=False)])
    assert [one.oracle for one in judge.verdicts(handled(1, {}), plan)] == ["end-state"]


@pytest.mark.parametrize(
    "wrong", [handled(1, {"a": 2}), handled(1, {}, spec=2)], ids=["a new value", "another field differs too"]
)
def test_a_status_that_kopf_does_not_lose_is_compared(wrong: Observation) -> None:
    judge = Judge([handled(1, {"a": 1}, is_wrong=False)])
    assert [one.oracle for one in judge.verdicts(wrong, killed("widgets", after=True))] == ["end-state"]


def test_a_status_of_an_operator_without_kopf_is_compared() -> None:
    judge = Judge([handled(1, {"a": 1}, by="example.com/other", is_wrong=False)])
    assert judge.verdicts(handled(1, {}, by="example.com/other"), killed("widgets", after=True))


def password(word: str, before: str | None) -> Change:
    documents: list[Any] = [
        None if one is None else {"kind": "Secret", "metadata": {"name": "a", "uid": "1"}, "data": {"word": one}}
        for one in (word, before)
    ]
    return Change("created" if before is None else "updated", "Secret", "a", "1", 0.0, documents[0], documents[1])


def test_a_generated_value_that_changes_is_wrong() -> None:
    runs = []
    for word in ("x", "y"):
        change = password(word, None)
        runs.append(Observation(states={START: {("Secret", "a"): [change.document]}}, changes=[change]))
    again = Observation(changes=[password("x", None), password("z", "x")])
    assert [one.oracle for one in Judge(runs).verdicts(again)] == ["rewrite"]


def test_mistakes_of_the_program_are_found_in_its_output() -> None:
    assert programming_errors("ok\nKeyError: 'a'\nApiException: (404)\nKeyError: 'a'\n") == ["KeyError: 'a'"]


@pytest.mark.parametrize(("counts", "is_nothing"), [((1, 0), True), ((0, 1), True), ((1, 1), False)])
def test_runs_without_faults_that_share_no_object_of_the_operator_tell_nothing(
    counts: tuple[int, int], is_nothing: bool
) -> None:
    widget: State = {("Widget", "default/w"): [{}]}
    states: list[State] = [{**widget, **({KEY: [{}]} if count else {})} for count in counts]
    judge = Judge([Observation(states={0: state}) for state in states])
    assert judge.compares_nothing({(KEY[0], KEY[1].rpartition("/")[2])}) is is_nothing


@pytest.mark.parametrize(
    ("values", "is_settled"), [("2345", True), ("23232", False)], ids=["always new", "again and again the same"]
)
def test_a_field_that_gets_new_values_while_a_run_waits_is_not_compared(values: str, is_settled: bool) -> None:
    def state(beats: str) -> State:
        return {("Widget", "w"): [{"kind": "Widget", "metadata": {"name": "w"}, "status": {"beats": int(beats)}}]}

    judge = Judge([Observation(states={0: state("1")})])
    settling = judge.settling(None)
    assert [settling(0, state(beats)) for beats in values][-1] is is_settled
    assert ("Widget: status.beats changes again and again" in judge.variations) is is_settled
    assert judge.is_settled(0, state("9")) is is_settled
