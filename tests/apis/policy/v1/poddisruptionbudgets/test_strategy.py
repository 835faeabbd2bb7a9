from typing import Any

import pytest

from memkube.apis.policy.v1.poddisruptionbudgets.strategy import (
    validate_pod_disruption_budget,
    validate_pod_disruption_budget_status_update,
    validate_pod_disruption_budget_update,
)
from memkube.apis.policy.v1.poddisruptionbudgets.types import PodDisruptionBudget

UNUSUAL = {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b c"]}]}


def budget(**spec: Any) -> PodDisruptionBudget:
    return PodDisruptionBudget.from_document({"metadata": {"name": "a"}, "spec": spec})


@pytest.mark.parametrize("spec", [{}, {"minAvailable": 0}, {"maxUnavailable": "100%"}, {"selector": {}}])
def test_budgets_may_say_little(spec: dict[str, Any]) -> None:
    assert validate_pod_disruption_budget(budget(**spec)) == []


@pytest.mark.parametrize(
    ("spec", "error"),
    [
        ({"minAvailable": -1}, "spec.minAvailable: Invalid value: -1: must be greater than or equal to 0"),
        ({"maxUnavailable": "101%"}, 'spec.maxUnavailable: Invalid value: "101%": must not be greater than 100%'),
        ({"minAvailable": "x"}, 'spec.minAvailable: Invalid value: "x": a valid percent string must be'),
        (
            {"minAvailable": 1, "maxUnavailable": "1%"},
            (
                'spec: Invalid value: {"MinAvailable":1,"Selector":null,"MaxUnavailable":"1%",'
                '"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set'
            ),
        ),
        (
            {"unhealthyPodEvictionPolicy": "x"},
            (
                'spec.unhealthyPodEvictionPolicy: Unsupported value: "x": '
                'supported values: "AlwaysAllow", "IfHealthyBudget"'
            ),
        ),
        ({"selector": UNUSUAL}, 'spec.selector.matchExpressions[0].values[0]: Invalid value: "b c": a valid label'),
    ],
)
def test_each_field_has_its_rule(spec: dict[str, Any], error: str) -> None:
    errors = [str(e) for e in validate_pod_disruption_budget(budget(**spec))]
    assert len(errors) == 1
    assert errors[0].startswith(error)


def test_a_selector_that_was_wrong_may_stay() -> None:
    old = budget(selector=UNUSUAL)
    assert validate_pod_disruption_budget_update(budget(selector=UNUSUAL, minAvailable=1), old) == []


def test_counts_are_not_negative() -> None:
    status = {"disruptionsAllowed": -1, "currentHealthy": -1, "desiredHealthy": -1, "expectedPods": -1}
    new = PodDisruptionBudget.from_document({"status": {**status, "conditions": [{"type": "a b"}]}})
    fields = [error.field for error in validate_pod_disruption_budget_status_update(new, budget())]
    assert fields[-4:] == [f"status.{name}" for name in status]
    assert fields[0] == "status.conditions[0].type"
