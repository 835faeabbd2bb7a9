import pytest
from pydantic import ValidationError

from memkube.controllers.kubelet.containers.behavior import ContainerRule
from memkube.controllers.kubelet.containers.rules import ContainerRules

LABELS = {"app": "web"}


@pytest.mark.parametrize(
    ("conditions", "selects"),
    [
        ({}, True),
        ({"namespace": "shop"}, True),
        ({"namespace": "default"}, False),
        ({"labelSelector": "app in (web, api)"}, True),
        ({"labelSelector": "app!=web"}, False),
        ({"image": "nginx:1.27"}, True),
        ({"image": "nginx:*"}, True),
        ({"image": "busybox:*"}, False),
        ({"container": "front"}, True),
        ({"container": "back"}, False),
        ({"container": "front", "labelSelector": "app=api"}, False),
    ],
)
def test_a_rule_selects_containers_that_meet_all_its_conditions(conditions: dict[str, str], selects: bool) -> None:
    rule = ContainerRule.model_validate(conditions)
    assert rule.selects("shop", LABELS, "front", "nginx:1.27") is selects


def test_of_several_rules_the_first_one_by_name_counts() -> None:
    rules = ContainerRules()
    rules.put("b", ContainerRule(exitCode=2))
    rules.put("a", ContainerRule(exitCode=1, image="nginx"))
    assert rules.behavior("shop", LABELS, "front", "nginx") == ContainerRule(exitCode=1, image="nginx")
    assert rules.behavior("shop", LABELS, "front", "busybox") == ContainerRule(exitCode=2)


def test_a_deleted_rule_says_nothing_any_more() -> None:
    rules = ContainerRules()
    rules.put("a", ContainerRule(exitCode=1))
    rules.take("a", None)
    assert rules.behavior("shop", LABELS, "front", "nginx") is None
    with pytest.raises(KeyError):
        rules.take("a", None)


@pytest.mark.parametrize(
    "document",
    [
        {"exitcode": 1},
        {"exitCode": 256},
        {"exitAfterSeconds": 5},
        {"exitTimes": 1},
        {"exitCode": 1, "outOfMemory": True},
        {"labelSelector": "app in web"},
        {"startDelaySeconds": -1},
        {"log": {"lines": ["x"], "everySeconds": 0}},
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(document: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ContainerRule.model_validate(document)


@pytest.mark.parametrize(("restarts", "ends"), [(0, True), (1, True), (2, False)])
def test_a_container_that_ends_twice_runs_on_the_third_time(restarts: int, ends: bool) -> None:
    assert ContainerRule(exitCode=1, exitTimes=2).ends_run(restarts) is ends
