"""Makes plans of disturbances from the requests that an operator sends in the runs without faults."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, Final

from memkube.hunting.description import Hunt
from memkube.hunting.plan import START, Disturbance, Plan
from memkube.hunting.run import Observation, Sent

_OUTAGE_SECONDS: Final = 2.0
_OVERLOADED: Final = 3
"""Number of successive requests that are refused with code 429 in the pattern ``overload``."""
_HELD_SECONDS: Final = 60.0
"""Maximum number of seconds by which a write is delayed in the pattern ``another-writer``."""
_MOST_LEASE_PLANS: Final = 2
_REFUSED: Final = 300
_UNPROMISING: Final = ("customresourcedefinitions.apiextensions.k8s.io", "namespaces", "events")
"""Resources that operator frameworks watch, but that seldom influence an operator. No plan disturbs their watches."""
_CHANGING: Final = ("update", "patch")

SHARES: Final = {
    "crash": 3.0,
    "stale": 2.5,
    "unobserved": 2.0,
    "lost-reply": 1.5,
    "another-writer": 1.5,
    "lease-lost": 1.1,
    "inputs": 1.1,
    "history": 1.0,
    "conflict": 1.0,
    "restart": 0.8,
    "overload": 0.5,
    "outage": 0.4,
}
"""Relative frequency at which plans of a pattern are tried, by pattern."""


class Planner:
    """Makes the plans of one hunt. Each plan disturbs a different request, watch or step of the operator."""

    def __init__(self, hunt: Hunt, observed: Observation, patterns: Sequence[str], seed: int) -> None:
        """Prepare plans from `observed`, a run without faults.

        If `patterns` is not empty, only plans of these patterns are made.
        """
        self._users = [operator.identity for operator in hunt.operators]
        self._observed = observed
        self._workload = hunt.workload
        self._steps = len(hunt.workload)
        self._patterns = patterns
        self._random = Random(seed)  # noqa: S311  no secret

    def plans(self) -> list[Plan]:
        """Return the plans in the order in which to try them.

        Plans of all patterns are interleaved by the frequencies in `SHARES`, so that a short hunt tries each pattern.
        Within a pattern, plans with the highest `promise` come first. The seed decides the order of plans with equal
        `promise`.
        """
        found = [plan for plan in self._all() if not self._patterns or plan.pattern in self._patterns]
        self._random.shuffle(found)
        found.sort(key=lambda plan: -plan.promise)
        turns: list[tuple[float, Plan]] = []
        for pattern, share in SHARES.items():
            mine = [plan for plan in found if plan.pattern == pattern]
            turns += [((number + 1) / share, plan) for number, plan in enumerate(mine)]
        return [plan for _, plan in sorted(turns, key=lambda turn: turn[0])]

    def _all(self) -> Iterator[Plan]:
        for kind, steps in self._writes().items():
            yield from _aimed(f"{kind[0]} {kind[2]}", self._of_write(kind, steps))
        watched = self._watched()
        for resources in ([watched] if len(watched) > 1 else []) + [[one] for one in watched]:
            target = f"watch {' and '.join(resources)}"
            yield from _aimed(target, self._of_watch(resources))
            yield from _aimed(target, self._of_view(resources))
        for step in range(START, self._steps):
            yield from _aimed(_steps(step, step), self._of_step(step))
        yield from _aimed("the lease", self._of_lease())

    def _step_at(self, seconds: float) -> int:
        """Return the number of the step that was running at `seconds` after the start of the run."""
        return START + sum(1 for end in self._observed.step_ends if end < seconds)

    def _writes(self) -> dict[tuple[str, str, str], list[int]]:
        """Return the steps in which the operator wrote successfully, by verb, group and resource.

        The keys are in order of the first write.
        """
        found: dict[tuple[str, str, str], list[int]] = {}
        for one in self._observed.sent:
            if one.is_write and one.code < _REFUSED and one.resource not in ("events", "leases"):
                found.setdefault((one.verb, one.group, one.resource), []).append(self._step_at(one.seconds))
        return found

    def _watched(self) -> list[str]:
        """Return the resources that the operator watches, as ``PLURAL`` or ``PLURAL.GROUP``."""
        watched = dict.fromkeys(_qualified(one) for one in self._observed.sent if one.verb == "watch")
        return [name for name in watched if name not in _UNPROMISING]

    def _of_write(self, kind: tuple[str, str, str], steps: Sequence[int]) -> Iterator[Plan]:
        verb, group, resource = kind
        count = len(steps)
        places = range(count) if count <= 6 else (*range(4), count - 2, count - 1)
        for place in places:
            which = {"verbs": [verb], "groups": [group], "resources": [resource]}
            what = f"{verb} {resource} number {place + 1}"
            first = 10 if place == 0 else 5
            for after in (True, False):
                when = "after" if after else "before"
                about = f"the operator is killed {when} its {what} takes effect, and started again"
                fault = self._fault(which, {"type": "drop", "afterWrite": after}, place)
                promise = first + (3 if after else 0) - place / 10
                yield Plan(
                    pattern="crash", about=about, promise=promise, disturbances=[Disturbance(fault=fault, kills=True)]
                )
            about = f"the answer to its {what} is lost, but the write takes effect"
            fault = self._fault(which, {"type": "drop", "afterWrite": True}, place)
            yield Plan(
                pattern="lost-reply",
                about=about,
                promise=first + 1 - place / 10,
                disturbances=[Disturbance(fault=fault)],
            )
            if START < steps[place] < self._steps - 1:
                held = self._fault(which, {"type": "delay", "seconds": _HELD_SECONDS, "clock": "wall"}, place, hits=1)
                about = f"its {what} takes effect only after {_steps(steps[place] + 1, steps[place] + 1)}"
                until = Disturbance(fault=held, until=steps[place] + 1)
                yield Plan(pattern="another-writer", about=about, promise=first - place / 10, disturbances=[until])
            if verb in _CHANGING:
                fault = self._fault(which, {"type": "error", "code": 409}, place)
                about = f"its {what} is refused with 409, as if another client had written first"
                yield Plan(
                    pattern="conflict",
                    about=about,
                    promise=first - 1 - place / 10,
                    disturbances=[Disturbance(fault=fault)],
                )
            for code in (500, 429):
                effect: dict[str, Any] = {"type": "error", "code": code}
                if code == 429:
                    effect["retryAfterSeconds"] = 1
                fault = self._fault(which, effect, place, hits=1 if code == 500 else _OVERLOADED)
                about = f"its {what} is refused with {code}{'' if code == 500 else f', {_OVERLOADED} times in a row'}"
                yield Plan(
                    pattern="overload",
                    about=about,
                    promise=first - 4 - place / 10,
                    disturbances=[Disturbance(fault=fault)],
                )

    def _of_watch(self, resources: Sequence[str]) -> Iterator[Plan]:
        which = {"verbs": ["watch"], "resources": list(resources)}
        what = " and ".join(resources)
        several = len(resources) / 10
        for step in range(START, self._steps - 1):
            for last in range(step + 1, min(step + 4, self._steps)):
                length = last - step
                steps = _steps(step + 1, last)
                held = Disturbance(fault=self._fault(which, {"type": "delayEvents"}), after=step, until=last)
                about = f"it sees the changes of {what} in {steps} late"
                promise = 9 - abs(length - 2) / 2 - step / 20 + several
                yield Plan(pattern="stale", about=about, promise=promise - 1, disturbances=[held])
                unseen = held.model_copy(update={"relists": True})
                about = f"it sees none of the changes of {what} in {steps}, but only what is left of them"
                yield Plan(pattern="unobserved", about=about, promise=promise, disturbances=[unseen])
        for step in range(START, self._steps):
            for how in ("dropped", "expired"):
                close = {"type": "closeWatch", "how": how, "afterEvents": 0}
                closing = Disturbance(fault=self._fault(which, close, hits=len(resources)), after=step)
                about = f"its watch of {what} {_ENDS[how]} after {_steps(step, step)}"
                yield Plan(pattern="history", about=about, promise=4 - step / 20 + several, disturbances=[closing])
            during = {"type": "closeWatch", "how": "dropped", "afterEvents": 1}
            breaking = Disturbance(fault=self._fault(which, during, hits=len(resources)), after=step)
            about = f"its watch of {what} breaks off at the first event after {_steps(step, step)}"
            yield Plan(pattern="history", about=about, promise=4.2 - step / 20 + several, disturbances=[breaking])

    def _of_view(self, resources: Sequence[str]) -> Iterator[Plan]:
        """Yield plans in which a restarted operator first sees an older state than it had seen before the restart."""
        if not any(one.is_any and _qualified(one) in resources for one in self._observed.sent):
            return
        which = {"verbs": ["watch"], "resources": list(resources)}
        what = " and ".join(resources)
        for step in range(1, self._steps):
            for view in range(START, step):
                held = self._fault(which, {"type": "delayEvents"})
                older = Disturbance(fault=held, after=step, until=step, restarts=True, view=view)
                about = f"it is started again after {_steps(step, step)}, and sees {what} as after {_steps(view, view)}"
                promise = 10 + step / 5 - (step - view) / 10 + len(resources) / 10 - (view == START)
                yield Plan(pattern="stale", about=about, promise=promise, disturbances=[older])

    def _of_lease(self) -> Iterator[Plan]:
        if not any(one.resource == "leases" and one.is_write for one in self._observed.sent):
            return
        written = {step for steps in self._writes().values() for step in steps}
        for step in [step for step in range(self._steps - 1) if step + 1 in written][:_MOST_LEASE_PLANS]:
            taken = Disturbance(after=step, until=step + 1, takes_lease=True)
            about = f"another process holds its lease before and during {_steps(step + 1, step + 1)}"
            yield Plan(pattern="lease-lost", about=about, promise=10 - step / 20, disturbances=[taken])

    def _of_step(self, step: int) -> Iterator[Plan]:
        everything = self._fault({}, {"type": "drop"})
        away = Disturbance(fault=everything, after=step, lasts=_OUTAGE_SECONDS)
        about = f"the API server does not answer for {_OUTAGE_SECONDS:g} s after {_steps(step, step)}"
        yield Plan(pattern="outage", about=about, promise=3 - step / 20, disturbances=[away])
        if step == START:
            return
        if step > 0 and (self._workload[step].patch or self._workload[step].apply):
            late = Disturbance(after=START, until=step, stops=True)
            about = f"it is first started after {_steps(step, step)}, which must end as if it had run all the time"
            yield Plan(pattern="inputs", about=about, promise=7 + step / 20, disturbances=[late])
        restart = Disturbance(after=step, until=step, restarts=True)
        about = f"the operator is started again after {_steps(step, step)}"
        yield Plan(pattern="restart", about=about, promise=5 - step / 20, disturbances=[restart])
        for last in range(step + 1, min(step + 3, self._steps)):
            stopped = Disturbance(after=step, until=last, stops=True)
            about = f"the operator does not run during {_steps(step + 1, last)}"
            promise = 9.6 - abs(last - step - 1) / 2 - step / 20
            yield Plan(pattern="unobserved", about=about, promise=promise, disturbances=[stopped])

    def _fault(self, match: dict[str, Any], effect: dict[str, Any], after: int = 0, hits: int = 0) -> dict[str, Any]:
        when: dict[str, Any] = {"after": after} if after else {}
        if effect["type"] in ("drop", "error") and "verbs" in match:
            when["first"] = hits or 1
        elif hits:
            when["first"] = hits
        return {"match": {**match, "users": self._users}, "when": when, "effect": effect}


_ENDS: Final = {"dropped": "breaks off", "expired": "ends with 410"}


def _aimed(target: str, plans: Iterator[Plan]) -> Iterator[Plan]:
    for plan in plans:
        yield plan.model_copy(update={"target": target})


def _qualified(one: Sent) -> str:
    return f"{one.resource}.{one.group}" if one.group else one.resource


def _steps(first: int, last: int) -> str:
    if last == START:
        return "the start"
    begin = "the start" if first == START else f"step {first + 1}"
    return begin if first == last else f"{begin} to {last + 1}"
