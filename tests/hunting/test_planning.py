"""Plans that are made from the requests of a run without faults."""

from collections.abc import Sequence
from typing import Any

import pytest

from memkube.hunting.description import Hunt, Step
from memkube.hunting.history import Change
from memkube.hunting.plan import START, Disturbance, Plan
from memkube.hunting.planning import SHARES, Planner
from memkube.hunting.run import Observation, Sent

LOCK = "lock"
"""Name of a ConfigMap with a record of leader election."""


def sent(verb: str, resource: str, seconds: float, name: str = "a", **fields: Any) -> Sent:
    return Sent(seconds, verb, "", resource, name, 200, "", **fields)


REQUESTS = [sent("watch", "pods", 1), sent("create", "configmaps", 11), sent("update", "configmaps", 21)]


def plans(*requests: Sent, patterns: tuple[str, ...] = (), seed: int = 1, changes: Sequence[Change] = ()) -> list[Plan]:
    """Return the plans for an operator that sent these requests.

    Its three steps begin after 10, 20 and 30 seconds.
    """
    hunt = Hunt.model_validate({"operator": {"command": ["x"]}, "workload": [Step(run="true")] * 3})
    records = {(one.resource, one.name) for one in requests if one.name == LOCK or one.resource == "leases"}
    observed = Observation(
        sent=list(requests),
        step_ends=[10.0, 20.0, 30.0, 40.0],
        records=records,
        changes=list(changes),
        resources={("v1", "Pod"): "pods"},
    )
    return Planner(hunt, observed, patterns, seed).plans()


@pytest.mark.parametrize(
    ("steps", "disturbances", "begins_late"),
    [
        ([Step(apply="widget.yaml")], [], True),
        ([Step(run="true")], [Disturbance(after=START, until=3, stops=True)], True),
        ([Step(run="true")], [Disturbance(after=START, until=3)], False),
        ([], [Disturbance(after=START, until=3, stops=True)], False),
    ],
)
def test_an_operator_begins_late_if_it_first_handles_further_steps(
    steps: list[Step], disturbances: list[Disturbance], begins_late: bool
) -> None:
    plan = Plan(pattern="inputs", about="", disturbances=disturbances, steps=steps)
    assert plan.begins_late is begins_late


def test_the_same_seed_gives_the_same_order() -> None:
    assert plans(*REQUESTS, seed=7) == plans(*REQUESTS, seed=7)


def test_each_pattern_has_a_turn_early() -> None:
    found = [plan.pattern for plan in plans(*REQUESTS)]
    assert {"crash", "lost-reply", "unobserved", "stale", "another-writer"} <= set(found[:8])
    assert set(found) == {*SHARES} - {"lease-lost", "inputs"}


@pytest.mark.parametrize(("pattern", "first"), [("crash", "drop"), ("conflict", "delay"), ("stale", "delayEvents")])
def test_only_chosen_patterns_are_planned(pattern: str, first: str) -> None:
    found = plans(*REQUESTS, patterns=(pattern,))
    assert {plan.pattern for plan in found} == {pattern}
    fault = found[0].disturbances[0].fault
    assert fault is not None
    assert fault["effect"]["type"] == first


def test_a_write_is_held_back_until_the_step_after_its_own() -> None:
    found = [plan for plan in plans(*REQUESTS, patterns=("another-writer",)) if plan.at is None]
    held = {plan.about: plan.disturbances[0].until for plan in found}
    assert held == {
        "its create configmaps in step 1 takes effect only after step 2": 1,
        "its update configmaps in step 2 takes effect only after step 3": 2,
    }


def test_an_operator_sees_the_deletion_of_an_object_that_was_created_again() -> None:
    listed = [sent("list", "pods", 1, "", is_any=True), sent("watch", "pods", 1, "")]

    def change(what: str, seconds: float, **metadata: str) -> Change:
        document = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", **metadata}}
        return Change(what, "Pod", "a", "", seconds, document, None)

    changes = [
        change("created", 11),
        change("updated", 21, deletionTimestamp="2026-01-01T00:00:00Z"),
        change("deleted", 22),
        change("created", 31),
    ]
    first = plans(*listed, patterns=("stale",), changes=changes)[0]
    assert first.about == "it is started again after step 3, and sees pods as during the deletion in step 2"


def test_another_client_writes_between_a_read_and_an_update() -> None:
    found = [plan for plan in plans(*REQUESTS, patterns=("conflict",)) if plan.disturbances[0].races]
    assert [plan.about for plan in found] == [
        "another client annotates the object between its read and its update configmaps in step 2"
    ]


def test_a_read_is_refused_in_the_step_in_which_it_was_sent() -> None:
    found = plans(sent("get", "secrets", 25), patterns=("overload",))
    assert [(plan.at, plan.disturbances[0].after, plan.disturbances[0].until) for plan in found] == [(1, 0, 1)]


def test_a_read_after_the_last_step_belongs_to_this_step() -> None:
    found = [plan.about for plan in plans(sent("list", "configmaps", 41), patterns=("overload",))]
    assert found == ["its list configmaps in step 3 is refused with 500"]


def test_only_later_pages_of_a_list_expire() -> None:
    pages = [sent("list", "pods", 15), sent("list", "pods", 15.1, is_page=True)]
    found = [plan for plan in plans(*pages, patterns=("history",)) if "410" in plan.about]
    fault = found[0].disturbances[0].fault
    assert fault is not None
    assert fault["when"] == {"after": 1, "first": 1}


def test_older_states_are_only_shown_to_operators_that_list_for_any_version() -> None:
    assert all(plan.disturbances[0].view is None for plan in plans(*REQUESTS))
    found = plans(*REQUESTS, sent("list", "pods", 1, is_any=True), patterns=("stale",))
    views = [plan.disturbances[0] for plan in found if plan.disturbances[0].view is not None]
    assert {one.restarts for one in views} == {True, False}
    assert all(one.view is not None and one.view < one.after for one in views)


def test_an_operator_lists_an_object_again_right_after_its_event() -> None:
    found = [plan for plan in plans(*REQUESTS, patterns=("history",)) if "410 at the first event" in plan.about]
    effects = [(one.fault or {})["effect"] for plan in found for one in plan.disturbances]
    assert effects[0] == {"type": "closeWatch", "how": "expired", "afterEvents": 1}
    assert sorted(plan.at or 0 for plan in found) == [0, 1, 2]


def test_several_steps_are_named_by_the_first_and_the_last() -> None:
    found = {plan.about for plan in plans(*REQUESTS, patterns=("clock",))}
    assert "the operator is paused (SIGSTOP) during steps 2 to 3" in found


def test_a_lease_is_taken_before_a_step_in_which_the_operator_writes() -> None:
    found = plans(*REQUESTS, sent("update", "leases", 1), patterns=("lease-lost",))
    assert [(plan.disturbances[0].after, plan.disturbances[0].until) for plan in found] == [(0, 1)]


def test_an_operator_first_starts_after_a_change() -> None:
    hunt = Hunt.model_validate(
        {"operator": {"command": ["x"]}, "workload": [Step(apply="a.yaml"), Step(apply="b.yaml")]}
    )
    (plan,) = Planner(hunt, Observation(), ("inputs",), 1).plans()
    assert [(one.stops, one.after, one.until) for one in plan.disturbances] == [(True, -1, 1)]


def test_a_missed_deletion_is_tried_first() -> None:
    deletion = {"apiVersion": "v1", "kind": "ConfigMap", "name": "a"}
    workload = [{"run": "true"}, {"run": "true"}, {"delete": deletion}, {"run": "true"}]
    hunt = Hunt.model_validate({"operator": {"command": ["x"]}, "workload": workload})
    found = Planner(hunt, Observation(), ("unobserved",), 1).plans()
    assert found[0].about == "the operator does not run during step 3"


def test_an_operator_is_first_killed_while_it_deletes() -> None:
    widget = {"apiVersion": "example.com/v1", "kind": "Widget", "name": "w"}
    steps = [{"run": "true"}, {"run": "true"}, {"delete": widget}]
    hunt = Hunt.model_validate({"operator": {"command": ["x"]}, "workload": steps})
    requests = [sent("create", "secrets", 11), *(sent("delete", "configmaps", seconds) for seconds in (12, 22, 32))]
    observed = Observation(sent=requests, step_ends=[10.0, 20.0, 30.0, 40.0])
    first = Planner(hunt, observed, ("crash",), 1).plans()[0]
    assert first.about.startswith("the operator is killed after its delete configmaps in step 3 takes effect")


def test_an_operator_is_first_killed_before_its_work_is_complete() -> None:
    requests = [sent("update", "configmaps", 11), sent("update", "secrets", 12), sent("update", "pods", 13)]
    first, second = [plan for plan in plans(*requests, patterns=("crash",)) if "after its" in plan.about][:2]
    assert {first.target, second.target} == {"update configmaps", "update secrets"}


def test_the_first_writes_of_all_kinds_are_disturbed_before_the_second_ones() -> None:
    requests = [sent("create", "jobs", 11), sent("create", "jobs", 12), sent("update", "pods", 13)]
    found = plans(*requests, patterns=("lost-reply",))
    assert [plan.target for plan in found] == ["create jobs", "update pods", "create jobs"]


def test_faults_disturb_creations_before_other_writes() -> None:
    requests = [sent(verb, "configmaps", 11) for verb in ("update", "create", "patch")]
    for pattern in ("lost-reply", "another-writer"):
        assert plans(*requests, patterns=(pattern,))[0].target == "create configmaps"


def test_a_watch_ends_differently_in_the_first_two_steps() -> None:
    found = plans(sent("watch", "pods", 1), patterns=("history",))
    assert [plan.at for plan in found[:2]] == [0, 1]
    assert {how for plan in found[:2] for how in ("breaks off", "ends with 410") if how in plan.about} == {
        "breaks off",
        "ends with 410",
    }


def test_no_write_is_held_back_until_after_a_deletion() -> None:
    deletion = {"apiVersion": "v1", "kind": "ConfigMap", "name": "a"}
    hunt = Hunt.model_validate({"operator": {"command": ["x"]}, "workload": [{"run": "true"}, {"delete": deletion}]})
    observed = Observation(sent=[sent("create", "configmaps", 11)], step_ends=[10.0, 20.0, 30.0])
    assert Planner(hunt, observed, ("another-writer",), 1).plans() == []


def test_each_plan_says_what_it_disturbs() -> None:
    targets = {plan.target for plan in plans(*REQUESTS)}
    assert targets == {
        "create configmaps",
        "update configmaps",
        "watch pods",
        "the start",
        "step 1",
        "step 2",
        "step 3",
    }


def test_no_fault_hits_a_record_of_leader_election() -> None:
    requests = [sent("update", "configmaps", second, name=name) for second, name in ((11, "w"), (12, LOCK))]
    found = plans(*requests, patterns=("crash",))
    assert {one.about.partition(" takes")[0] for one in found} == {
        f"the operator is killed {when} its update configmaps in step 1" for when in ("before", "after")
    }
    assert all((one.fault or {})["match"]["names"] == ["w"] for plan in found for one in plan.disturbances)


def test_a_record_in_a_config_map_is_taken_like_a_lease() -> None:
    requests = [sent("update", "configmaps", second, name=name) for second, name in ((21, "w"), (12, LOCK))]
    assert plans(*requests, patterns=("lease-lost",))


def test_an_operator_that_was_killed_while_it_wrote_misses_the_next_step() -> None:
    found = [plan for plan in plans(*REQUESTS, patterns=("unobserved",)) if plan.disturbances[0].stays_away]
    assert {plan.about: (plan.disturbances[0].after, plan.disturbances[0].until) for plan in found} == {
        "the operator is killed after its create configmaps in step 1 takes effect, and started again only after "
        "step 2": (-1, 1),
        "the operator is killed after its update configmaps in step 2 takes effect, and started again only after "
        "step 3": (0, 2),
    }


@pytest.mark.parametrize(
    ("annotation", "second", "count"),
    [("created", 12, 0), ("created", 22, 1), ("last-handled-configuration", 12, 1)],
    ids=["noted in this step", "noted in a later step", "handled by all"],
)
def test_no_change_is_missed_that_kopf_has_partly_handled(annotation: str, second: int, count: int) -> None:
    metadata = {"name": "w", "annotations": {f"kopf.zalando.org/{annotation}": "{}"}}
    document = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": metadata}
    change = Change("updated", "Widget", "w", "1", float(second), document, None)
    requests = [sent("create", "configmaps", 11)]
    hunt = Hunt.model_validate({"operator": {"command": ["x"]}, "workload": [Step(run="true")] * 2})
    observed = Observation(sent=requests, step_ends=[10.0, 20.0, 30.0], changes=[change])
    found = Planner(hunt, observed, ("unobserved",), 1).plans()
    assert sum(1 for plan in found if plan.disturbances[0].stays_away) == count
