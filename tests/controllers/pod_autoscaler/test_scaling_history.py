from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memkube.apis.autoscaling.v2.horizontalpodautoscalers.types import (
    HorizontalPodAutoscalerBehavior,
    HPAScalingPolicy,
    HPAScalingRules,
)
from memkube.controllers.pod_autoscaler.scaling_history import Limits, Moment, ScalingHistory

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
WITHIN = "DesiredWithinRange"


def ago(seconds: float) -> datetime:
    return NOW - timedelta(seconds=seconds)


def rules(*policies: tuple[str, int, int], window: int = 0, select: str = "Max") -> HPAScalingRules:
    made = [HPAScalingPolicy(type=kind, value=value, periodSeconds=seconds) for kind, value, seconds in policies]
    return HPAScalingRules(stabilizationWindowSeconds=window, selectPolicy=select, policies=made)


UNLIMITED = rules(("Percent", 1000, 15))


@pytest.mark.parametrize(
    ("desired", "limits", "replicas", "reason"),
    [
        (3, Limits(2, 1, 10), 3, WITHIN),
        (9, Limits(2, 1, 10), 4, "ScaleUpLimit"),
        (9, Limits(3, 1, 10), 6, "ScaleUpLimit"),
        (12, Limits(6, 1, 10), 10, "TooManyReplicas"),
        (1, Limits(5, 2, 10), 2, "TooFewReplicas"),
    ],
)
def test_bounds_and_the_default_rate_limit_the_replicas(
    desired: int, limits: Limits, replicas: int, reason: str
) -> None:
    found = ScalingHistory().normalize(desired, limits, NOW)
    assert (found.replicas, found.limitation[0], found.is_limited) == (replicas, reason, reason != WITHIN)


def test_the_highest_recommendation_of_five_minutes_counts() -> None:
    history = ScalingHistory([Moment(8, ago(301)), Moment(5, ago(300))])
    found = history.normalize(2, Limits(8, 1, 10), NOW)
    assert found.stabilization is not None
    assert (found.replicas, found.stabilization[0]) == (5, "ScaleDownStabilized")
    assert history.recommendations == [Moment(5, ago(300)), Moment(2, NOW)]


@pytest.mark.parametrize(
    ("up", "ups", "replicas"),
    [
        (rules(("Pods", 4, 60)), [], 14),
        (rules(("Percent", 50, 60)), [], 15),
        (rules(("Percent", 1, 60)), [], 11),
        (rules(("Pods", 4, 60), ("Percent", 50, 60)), [], 15),
        (rules(("Pods", 4, 60), ("Percent", 50, 60), select="Min"), [], 14),
        (rules(("Pods", 4, 60), select="Disabled"), [], 10),
        (rules(("Pods", 4, 60)), [Moment(3, ago(59))], 11),
        (rules(("Pods", 4, 60)), [Moment(3, ago(60))], 14),
        (rules(("Pods", 4, 60)), [Moment(9, ago(1))], 10),
    ],
)
def test_policies_limit_the_rate_of_scaling_up(up: HPAScalingRules, ups: list[Moment], replicas: int) -> None:
    behavior = HorizontalPodAutoscalerBehavior(scaleUp=up, scaleDown=UNLIMITED)
    found = ScalingHistory(ups=ups).normalize_with(behavior, 50, Limits(10, 1, 100), NOW)
    assert (found.replicas, found.limitation[0]) == (replicas, "ScaleUpLimit")


@pytest.mark.parametrize(
    ("down", "downs", "replicas"),
    [
        (rules(("Pods", 4, 60)), [], 6),
        (rules(("Percent", 25, 60)), [], 7),
        (rules(("Pods", 4, 60), ("Percent", 50, 60)), [], 5),
        (rules(("Pods", 4, 60), ("Percent", 50, 60), select="Min"), [], 6),
        (rules(("Pods", 4, 60), select="Disabled"), [], 10),
        (rules(("Pods", 4, 60)), [Moment(3, ago(59))], 9),
    ],
)
def test_policies_limit_the_rate_of_scaling_down(down: HPAScalingRules, downs: list[Moment], replicas: int) -> None:
    behavior = HorizontalPodAutoscalerBehavior(scaleUp=UNLIMITED, scaleDown=down)
    found = ScalingHistory(downs=downs).normalize_with(behavior, 1, Limits(10, 1, 100), NOW)
    assert (found.replicas, found.limitation[0]) == (replicas, "ScaleDownLimit")


@pytest.mark.parametrize(
    ("desired", "replicas", "reason"), [(8, 6, "ScaleUpStabilized"), (2, 5, "ScaleDownStabilized"), (5, 5, None)]
)
def test_each_direction_has_its_own_window(desired: int, replicas: int, reason: str | None) -> None:
    behavior = HorizontalPodAutoscalerBehavior(
        scaleUp=rules(("Pods", 50, 60), window=60), scaleDown=rules(("Pods", 50, 60), window=120)
    )
    past = [Moment(9, ago(130)), Moment(6, ago(30)), Moment(4, ago(100))]
    found = ScalingHistory(past).normalize_with(behavior, desired, Limits(5, 1, 10), NOW)
    assert (found.replicas, found.stabilization and found.stabilization[0]) == (replicas, reason)


@pytest.mark.parametrize(("desired", "replicas"), [(12, 10), (1, 2)])
def test_the_bounds_hold_with_a_behavior_too(desired: int, replicas: int) -> None:
    behavior = HorizontalPodAutoscalerBehavior(scaleUp=UNLIMITED, scaleDown=rules(("Percent", 100, 15)))
    found = ScalingHistory().normalize_with(behavior, desired, Limits(5, 2, 10), NOW)
    assert (found.replicas, found.is_limited) == (replicas, True)


def test_changes_older_than_the_longest_period_are_forgotten() -> None:
    behavior = HorizontalPodAutoscalerBehavior(scaleUp=rules(("Pods", 4, 60), ("Pods", 4, 30)), scaleDown=UNLIMITED)
    history = ScalingHistory(ups=[Moment(1, ago(61)), Moment(2, ago(60))])
    history.record_change(behavior, 5, 8, NOW)
    history.record_change(behavior, 8, 6, NOW)
    assert (history.ups, history.downs) == ([Moment(2, ago(60)), Moment(3, NOW)], [Moment(2, NOW)])


def test_changes_without_a_behavior_are_not_kept() -> None:
    history = ScalingHistory()
    history.record_change(None, 5, 8, NOW)
    assert history.ups == []


def test_a_saved_history_is_restored() -> None:
    history = ScalingHistory([Moment(1, ago(5))], [Moment(2, ago(4))], [Moment(3, ago(3))])
    saved: dict[str, Any] = {"namespace": "default", "name": "web", **history.saved()}
    assert ScalingHistory.restored(saved) == history
