"""Makes plans to disturb an operator from its requests in the runs without faults."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, Final

from memkube.hunting.description import Hunt
from memkube.hunting.plan import START, Disturbance, Plan
from memkube.hunting.run import Observation, Sent

_OUTAGE_SECONDS: Final = 2.0
_OVERLOADED: Final = 3
"""Number of requests in a row that are refused in the pattern ``overload``."""
_CHANGING: Final = ("update", "patch")


class Planner:
    """Makes the plans for one hunt. Each plan disturbs another request, watch or step of the operator."""

    def __init__(self, hunt: Hunt, observed: Observation, patterns: Sequence[str], seed: int) -> None:
        """`observed` is a run without faults. Only plans of these patterns are made; of all if there are none."""
        self._users = [operator.identity for operator in hunt.operators]
        self._observed = observed
        self._steps = len(hunt.workload)
        self._patterns = patterns
        self._random = Random(seed)  # noqa: S311  no secret

    def plans(self) -> list[Plan]:
        """Return the plans, the most promising first. Plans of equal promise are in an order that the seed decides."""
        found = [plan for plan in self._all() if not self._patterns or plan.pattern in self._patterns]
        self._random.shuffle(found)
        return sorted(found, key=lambda plan: -plan.promise)

    def _all(self) -> Iterator[Plan]:
        for kind, places in self._writes().items():
            yield from self._of_write(kind, places)
        for resource in self._watched():
            yield from self._of_watch(resource)
        for step in range(START, self._steps):
            yield from self._of_step(step)

    def _writes(self) -> dict[tuple[str, str, str], int]:
        """Return the number of the operator's successful writes by verb, group and resource, in order of first use."""
        counts: dict[tuple[str, str, str], int] = {}
        for one in self._observed.sent:
            if one.is_write and one.code < 300 and one.resource not in ("events", "leases"):
                key = one.verb, one.group, one.resource
                counts[key] = counts.get(key, 0) + 1
        return counts

    def _watched(self) -> list[str]:
        """Return the resources that the operator watches, with their groups."""
        return list(dict.fromkeys(_qualified(one) for one in self._observed.sent if one.verb == "watch"))

    def _of_write(self, kind: tuple[str, str, str], count: int) -> Iterator[Plan]:
        verb, group, resource = kind
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

    def _of_watch(self, resource: str) -> Iterator[Plan]:
        which = {"verbs": ["watch"], "resources": [resource]}
        hold = {"type": "delayEvents"}
        for step in range(START, self._steps - 1):
            for last in range(step + 1, min(step + 4, self._steps)):
                length = last - step
                steps = _steps(step + 1, last)
                held = Disturbance(fault=self._fault(which, hold), after=step, until=last)
                about = f"it sees the changes of {resource} in {steps} late"
                yield Plan(pattern="stale", about=about, promise=8.5 - length / 2 - step / 20, disturbances=[held])
                if length > 1:
                    unseen = held.model_copy(update={"relists": True})
                    about = f"it sees none of the changes of {resource} in {steps}, but only what is left of them"
                    yield Plan(
                        pattern="unobserved", about=about, promise=9.5 - length / 2 - step / 20, disturbances=[unseen]
                    )
                stale = {"type": "staleReads", "onlyAny": True, "mayGoBack": True}
                reads = {"verbs": ["list", "get"], "resources": [resource]}
                older = Disturbance(fault=self._fault(reads, stale), after=step, until=last, restarts=True)
                about = f"it is started again in {steps}, and lists {resource} from a cache that lags behind"
                yield Plan(
                    pattern="stale", about=about, promise=6.5 - length / 2 - step / 20, disturbances=[held, older]
                )
        for step in range(START, self._steps):
            for how in ("dropped", "expired"):
                close = {"type": "closeWatch", "how": how, "afterEvents": 0}
                closing = Disturbance(fault=self._fault(which, close, hits=1), after=step)
                about = f"its watch of {resource} {_ENDS[how]} after {_steps(step, step)}"
                yield Plan(pattern="history", about=about, promise=4 - step / 20, disturbances=[closing])
            during = {"type": "closeWatch", "how": "dropped", "afterEvents": 1}
            breaking = Disturbance(fault=self._fault(which, during, hits=1), after=step)
            about = f"its watch of {resource} breaks off at the first event after {_steps(step, step)}"
            yield Plan(pattern="history", about=about, promise=4.2 - step / 20, disturbances=[breaking])

    def _of_step(self, step: int) -> Iterator[Plan]:
        everything = self._fault({}, {"type": "drop"})
        away = Disturbance(fault=everything, after=step, lasts=_OUTAGE_SECONDS)
        about = f"the API server does not answer for {_OUTAGE_SECONDS:g} s after {_steps(step, step)}"
        yield Plan(pattern="outage", about=about, promise=3 - step / 20, disturbances=[away])
        # The fault matches no request: only the restart has an effect.
        never = self._fault({"names": ["never"]}, {"type": "delay", "seconds": 0})
        restart = Disturbance(fault=never, after=step, until=step, restarts=True)
        about = f"the operator is started again after {_steps(step, step)}"
        yield Plan(pattern="restart", about=about, promise=5 - step / 20, disturbances=[restart])

    def _fault(self, match: dict[str, Any], effect: dict[str, Any], after: int = 0, hits: int = 0) -> dict[str, Any]:
        when: dict[str, Any] = {"after": after} if after else {}
        if effect["type"] in ("drop", "error") and "verbs" in match:
            when["first"] = hits or 1
        elif hits:
            when["first"] = hits
        return {"match": {**match, "users": self._users}, "when": when, "effect": effect}


_ENDS: Final = {"dropped": "breaks off", "expired": "ends with 410"}


def _qualified(one: Sent) -> str:
    return f"{one.resource}.{one.group}" if one.group else one.resource


def _steps(first: int, last: int) -> str:
    if last == START:
        return "the start"
    begin = "the start" if first == START else f"step {first + 1}"
    return begin if first == last else f"{begin} to {last + 1}"
