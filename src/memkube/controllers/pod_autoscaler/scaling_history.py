"""Limits how fast an autoscaler changes the number of replicas (``horizontal.go``: normalizeDesiredReplicas).

Past recommendations stabilize the number, and past changes count against the policies of the scaling behavior.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.apis.autoscaling.v2.horizontalpodautoscalers.types import (
    HorizontalPodAutoscalerBehavior,
    HPAScalingPolicy,
    HPAScalingRules,
)
from memkube.controllers.framework.saved_values import instant
from memkube.controllers.pod_autoscaler import int32

_DOWNSCALE_WINDOW: Final = 300
"""Seconds for which the highest recommendation applies (``--horizontal-pod-autoscaler-downscale-stabilization``)."""
_SCALE_UP_FACTOR: Final = 2
_SCALE_UP_MINIMUM: Final = 4
_WITHIN_RANGE: Final = ("DesiredWithinRange", "the desired count is within the acceptable range")
_SCALE_UP_LIMIT: Final = (
    "ScaleUpLimit",
    "the desired replica count is increasing faster than the maximum scale rate",
)
_SCALE_DOWN_LIMIT: Final = (
    "ScaleDownLimit",
    "the desired replica count is decreasing faster than the maximum scale rate",
)
_TOO_MANY: Final = ("TooManyReplicas", "the desired replica count is more than the maximum replica count")
_TOO_FEW: Final = ("TooFewReplicas", "the desired replica count is less than the minimum replica count")
_STABILIZED_UP: Final = (
    "ScaleUpStabilized",
    "recent recommendations were lower than current one, applying the lowest recent recommendation",
)
_STABILIZED_DOWN: Final = (
    "ScaleDownStabilized",
    "recent recommendations were higher than current one, applying the highest recent recommendation",
)


class Moment(NamedTuple):
    """A recommended number of replicas, or the number of added or removed replicas, with its time."""

    replicas: int
    time: datetime


class Limits(NamedTuple):
    """Current number of replicas of a scale target, and the autoscaler's minimum and maximum."""

    current: int
    lowest: int
    highest: int


class Normalized(NamedTuple):
    """Number of replicas after all limits, with reason and message of the conditions AbleToScale, ScalingLimited."""

    replicas: int
    stabilization: tuple[str, str] | None
    """Reason and message for the condition AbleToScale if recent recommendations changed the number; otherwise None."""
    limitation: tuple[str, str]
    """Reason and message for the condition ScalingLimited."""
    is_limited: bool
    """True if the minimum, the maximum or a scaling rate has changed the number of replicas."""


@dataclass(slots=True)
class ScalingHistory:
    """Recent recommendations for one autoscaler, and its recent changes of the number of replicas."""

    recommendations: list[Moment] = field(default_factory=list)
    ups: list[Moment] = field(default_factory=list)
    downs: list[Moment] = field(default_factory=list)

    def normalize(self, desired: int, limits: Limits, now: datetime) -> Normalized:
        """Return the number of replicas for an autoscaler without ``spec.behavior``, whose metrics propose `desired`.

        The number is limited by recent recommendations, the minimum, the maximum, and the default rate of scaling up.
        """
        stabilized = self._highest_recent(desired, now)
        most = max(_SCALE_UP_FACTOR * limits.current, _SCALE_UP_MINIMUM)
        highest, why = (most, _SCALE_UP_LIMIT) if limits.highest > most else (limits.highest, _TOO_MANY)
        if stabilized < limits.lowest:
            replicas, limitation = limits.lowest, _TOO_FEW
        elif stabilized > highest:
            replicas, limitation = highest, why
        else:
            replicas, limitation = stabilized, _WITHIN_RANGE
        stabilization = _STABILIZED_DOWN if stabilized != desired else None
        return Normalized(replicas, stabilization, limitation, replicas != stabilized)

    def normalize_with(
        self, behavior: HorizontalPodAutoscalerBehavior, desired: int, limits: Limits, now: datetime
    ) -> Normalized:
        """Return the number of replicas for an autoscaler with ``spec.behavior``, whose metrics propose `desired`.

        The number is limited by recent recommendations, the minimum, the maximum, and the policies of the behavior.
        """
        up, down = _rules(behavior)
        stabilized = self._stabilized(desired, limits.current, (_window(up, 0), _window(down, _DOWNSCALE_WINDOW)), now)
        replicas, limitation = stabilized, _WITHIN_RANGE
        if stabilized > limits.current:
            limit = max(self._up_limit(limits.current, up, now), limits.current)
            highest, why = (limit, _SCALE_UP_LIMIT) if limits.highest > limit else (limits.highest, _TOO_MANY)
            if stabilized > highest:
                replicas, limitation = highest, why
        elif stabilized < limits.current:
            limit = min(self._down_limit(limits.current, down, now), limits.current)
            lowest, why = (limit, _SCALE_DOWN_LIMIT) if limits.lowest < limit else (limits.lowest, _TOO_FEW)
            if stabilized < lowest:
                replicas, limitation = lowest, why
        stabilization = None
        if stabilized != desired:
            stabilization = _STABILIZED_UP if desired >= limits.current else _STABILIZED_DOWN
        return Normalized(replicas, stabilization, limitation, replicas != stabilized)

    def record_change(
        self, behavior: HorizontalPodAutoscalerBehavior | None, before: int, after: int, now: datetime
    ) -> None:
        """Record that the number of replicas has changed from `before` to `after`.

        The change is kept for as long as the scaling policies of `behavior` need it. Nothing is recorded without a
        `behavior`, because it has the policies.
        """
        if behavior is None:
            return
        up, down = _rules(behavior)
        rules, events = (up, self.ups) if after > before else (down, self.downs)
        cutoff = now - timedelta(seconds=max((policy.periodSeconds for policy in rules.policies), default=0))
        events[:] = [*(event for event in events if event.time >= cutoff), Moment(abs(after - before), now)]

    def _highest_recent(self, desired: int, now: datetime) -> int:
        cutoff = now - timedelta(seconds=_DOWNSCALE_WINDOW)
        self.recommendations = [past for past in self.recommendations if past.time >= cutoff]
        highest = max([desired, *(past.replicas for past in self.recommendations)])
        self.recommendations.append(Moment(desired, now))
        return highest

    def _stabilized(self, desired: int, current: int, windows: tuple[int, int], now: datetime) -> int:
        """Limit the desired replicas by the recommendations within the stabilization windows.

        `windows` are the lengths of the windows for scaling up and for scaling down, in seconds. The `current` number
        rises at most to the lowest recommendation in the first window, and falls at most to the highest in the second.
        """
        cutoffs = [now - timedelta(seconds=window) for window in windows]
        lowest = min([desired, *(past.replicas for past in self.recommendations if past.time > cutoffs[0])])
        highest = max([desired, *(past.replicas for past in self.recommendations if past.time > cutoffs[1])])
        self.recommendations = [past for past in self.recommendations if past.time >= min(cutoffs)]
        self.recommendations.append(Moment(desired, now))
        return min(max(current, lowest), highest)

    def _up_limit(self, current: int, rules: HPAScalingRules, now: datetime) -> int:
        proposals = [_increased(self._at_start(current, policy, now), policy) for policy in rules.policies]
        return _selected(rules, proposals, current, larger=True)

    def _down_limit(self, current: int, rules: HPAScalingRules, now: datetime) -> int:
        proposals = [_decreased(self._at_start(current, policy, now), policy) for policy in rules.policies]
        return _selected(rules, proposals, current, larger=False)

    def _at_start(self, current: int, policy: HPAScalingPolicy, now: datetime) -> int:
        """Return how many replicas there were at the beginning of a scaling policy's period, if `current` exist now."""
        cutoff = now - timedelta(seconds=policy.periodSeconds)
        added = sum(event.replicas for event in self.ups if event.time > cutoff)
        removed = sum(event.replicas for event in self.downs if event.time > cutoff)
        return current - added + removed

    def saved(self) -> Document:
        """Return the scaling history as data for a snapshot."""
        return {name: [list(moment) for moment in getattr(self, name)] for name in _LISTS}

    @classmethod
    def restored(cls, data: Document) -> "ScalingHistory":
        """Return the scaling history from the data that `saved` returned."""
        return cls(**{name: [_moment(pair) for pair in data[name]] for name in _LISTS})


_LISTS: Final = ("recommendations", "ups", "downs")


def _moment(pair: Any) -> Moment:
    return Moment(int(pair[0]), instant(pair[1]))


def _rules(behavior: HorizontalPodAutoscalerBehavior) -> tuple[HPAScalingRules, HPAScalingRules]:
    return behavior.scaleUp or HPAScalingRules(), behavior.scaleDown or HPAScalingRules()


def _window(rules: HPAScalingRules, default: int) -> int:
    return default if rules.stabilizationWindowSeconds is None else rules.stabilizationWindowSeconds


def _increased(start: int, policy: HPAScalingPolicy) -> int:
    if policy.type == "Pods":
        return int32.wrapped(start + policy.value)
    return int32.rounded_up(start * (1 + policy.value / 100))


def _decreased(start: int, policy: HPAScalingPolicy) -> int:
    if policy.type == "Pods":
        return start - policy.value
    return int(start * (1 - policy.value / 100))


def _selected(rules: HPAScalingRules, proposals: list[int], current: int, *, larger: bool) -> int:
    """Return the limit for the number of replicas that follows from several scaling policies.

    `proposals` are the limits of the policies. The field ``selectPolicy`` of `rules` chooses one of them: by default,
    the limit for the largest change, which is the highest number if `larger` is True. If the field is Disabled, no
    change is permitted, and the limit is the `current` number.
    """
    if rules.selectPolicy == "Disabled":
        return current
    return max(proposals) if larger == (rules.selectPolicy != "Min") else min(proposals)
