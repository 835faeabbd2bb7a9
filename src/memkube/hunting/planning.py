"""Makes plans for runs with faults: each disturbs a request that the operator sent in the runs without faults."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from random import Random
from typing import Any, Final

from memkube.hunting.description import Hunt
from memkube.hunting.end_state import KOPF, KOPF_HANDLED
from memkube.hunting.inputs import generated_inputs
from memkube.hunting.plan import START, Disturbance, Plan
from memkube.hunting.run import Observation, Sent, qualified

_OUTAGE_SECONDS: Final = 2.0
_OVERLOADED: Final = 3
"""Number of successive requests that get code 429 in plans of the pattern ``overload``."""
_HELD_SECONDS: Final = 60.0
"""Maximum number of seconds by which plans of the pattern ``another-writer`` delay a write."""
_MOST_LEASE_PLANS: Final = 2
_REFUSED: Final = 300
_UNPROMISING: Final = ("customresourcedefinitions.apiextensions.k8s.io", "namespaces", "events")
"""Resources that operator frameworks watch, but that seldom influence an operator. Hunts do not disturb these watches.
"""
_CHANGING: Final = ("update", "patch")
_WRITING: Final = ("create", "update", "patch", "delete", "deletecollection")
_DELETING: Final = ("delete", "deletecollection")
_READING: Final = ("get", "list")
_UNPLANNED: Final = ("events", "leases", "customresourcedefinitions", "namespaces", "selfsubjectaccessreviews")
"""Resources to whose requests a hunt applies no faults."""

SHARES: Final = {
    "crash": 3.0,
    "stale": 2.0,
    "unobserved": 2.0,
    "overload": 2.0,
    "another-writer": 1.8,
    "inputs": 1.6,
    "lost-reply": 1.5,
    "conflict": 1.2,
    "lease-lost": 1.1,
    "history": 1.8,
    "restart": 0.7,
    "outage": 0.3,
    "clock": 0.3,
}
"""Relative frequency with which plans of each pattern are tried."""


class Planner:
    """Makes the plans of one search for bugs. Each plan disturbs some requests, watches or steps of the operator."""

    def __init__(self, hunt: Hunt, observed: Observation, patterns: Sequence[str], seed: int) -> None:
        """Prepare to make plans for `hunt`, which disturb the requests in `observed`, a run without faults.

        If `patterns` is not empty, only plans that look for these kinds of bugs are made. `seed` decides the order of
        plans with equal priority.
        """
        self._users = list(hunt.users)
        self._observed = observed
        self._hunt = hunt
        self._workload = hunt.workload
        self._steps = len(hunt.workload)
        self._patterns = patterns
        self._random = Random(seed)  # noqa: S311  no secret

    def plans(self) -> list[Plan]:
        """Return the plans of the search, in the order in which to try them.

        Plans of all patterns (kinds of bugs that they look for) are interleaved by the frequencies in `SHARES`, so that
        even a short search tries each pattern. Within a pattern, plans with the highest priority (`promise`) come
        first. The seed decides the order of plans with equal priority.
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
        for kind, steps in self._requests(is_write=True).items():
            for rank, (step, sent) in enumerate(steps.items()):
                yield from _aimed(f"{kind[0]} {kind[2]}", self._of_write(kind, step, sent, rank))
        for kind, steps in self._requests(is_write=False).items():
            for rank, (step, sent) in enumerate(steps.items()):
                yield from _aimed(f"{kind[0]} {kind[2]}", self._of_read(kind, step, sent, rank))
        watched = self._watched()
        for resources in ([watched] if len(watched) > 1 else []) + [[one] for one in watched]:
            target = f"watch {' and '.join(resources)}"
            yield from _aimed(target, self._of_watch(resources))
            yield from _aimed(target, self._of_view(resources))
        for step in range(START, self._steps):
            yield from _aimed(_steps(step, step), self._of_step(step))
        yield from _aimed("the lease", self._of_lease())
        yield from _aimed("generated inputs", generated_inputs(self._hunt, self._observed))

    def _step_at(self, seconds: float) -> int:
        """Return the number of the step that ran `seconds` after the run's start; START for the operator's start."""
        return START + sum(1 for end in self._observed.step_ends if end < seconds)

    def _requests(self, is_write: bool) -> dict[tuple[str, str, str], dict[int, list[Sent]]]:
        """Return the operator's write or read requests by verb, group and resource, and by step.

        Requests during the operator's start count as requests of the first step, because the same faults apply to them.
        Requests after the end of the last step, which an operator sends that polls, count as requests of this step.
        """
        verbs = _WRITING if is_write else _READING
        found: dict[tuple[str, str, str], dict[int, list[Sent]]] = {}
        for request in self._observed.sent:
            is_answered = 0 < request.code < _REFUSED or request.code == 404
            if request.verb not in verbs or request.resource in _UNPLANNED or not is_answered:
                continue
            if not request.resource or (is_write and request.code == 404):
                continue
            if (request.resource, request.name) in self._observed.records:
                continue
            step = min(max(self._step_at(request.seconds), 0), self._steps - 1)
            found.setdefault((request.verb, request.group, request.resource), {}).setdefault(step, []).append(request)
        return found

    def _watched(self) -> list[str]:
        """Return the resources that the operator watches, as ``PLURAL`` or ``PLURAL.GROUP``."""
        watched = dict.fromkeys(
            qualified(one.resource, one.group) for one in self._observed.sent if one.verb == "watch"
        )
        return [name for name in watched if name not in _UNPROMISING]

    def _of_write(self, kind: tuple[str, str, str], step: int, sent: Sequence[Sent], rank: int) -> Iterator[Plan]:
        """Yield plans that disturb the operator's writes with one verb to one resource, in one step.

        `kind` is the verb, API group and resource, and `sent` are the writes. `rank` is the number of earlier steps
        with such writes: plans with a higher rank are tried later.
        """
        verb, _, resource = kind
        which = self._aim(kind, sent)
        count = len(sent)
        is_partly_handled = self._is_partly_handled(step)
        for place, index in enumerate(_places(count)):
            what = f"{verb} {resource} in {_steps(step, step)}" + (f", number {index + 1}," if count > 1 else "")
            # If the workload deletes an object in this step, the operator deletes further objects. Plans that kill it
            # meanwhile are tried early, because it may never delete the objects that remain.
            is_cleanup = verb in _DELETING and step > START and self._workload[step].delete is not None
            promise = 11.0 if is_cleanup else 10.0 - 3 * min(rank, 2)
            # Creating an object a second time fails, or makes another one; most other writes can be repeated. The first
            # writes of all kinds come before the second ones, which the same part of the operator often sends.
            promise += 0.5 * (verb == "create") - 0.6 * place - rank / 100
            # If the operator writes nothing more in this step, it has completed its work when it is killed.
            is_intermediate = sent[index].seconds < self._last_writes[step]
            early = 3 if is_intermediate or is_cleanup else 1
            for after in (True, False):
                when = "after" if after else "before"
                about = f"the operator is killed {when} its {what} takes effect, and started again"
                fault = self._fault(which, {"type": "drop", "afterWrite": after}, index)
                yield self._in_step(step, "crash", about, promise + early * after, fault, kills=True)
            if step + 1 < self._steps and not is_partly_handled:
                fault = self._fault(which, {"type": "drop", "afterWrite": True}, index)
                away = Disturbance(fault=fault, after=_begin(step), until=step + 1, kills=True, stays_away=True)
                about = (
                    f"the operator is killed after its {what} takes effect, and started again only after "
                    f"{_steps(step + 1, step + 1)}"
                )
                yield Plan(
                    pattern="unobserved",
                    about=about,
                    promise=promise + (1.2 if is_intermediate else -0.8),
                    disturbances=[away],
                )
            if not sent[index].is_json_patch:
                # This plan is not made for JSON patches. Those of kopf contain `test` operations on old values. If the
                # answer is lost, kopf repeats the patch. The server refuses it, because the first one took effect, and
                # kopf then waits, although the operator has no bug.
                fault = self._fault(which, {"type": "drop", "afterWrite": True}, index)
                about = f"the answer to its {what} is lost, but the write takes effect"
                yield self._in_step(step, "lost-reply", about, promise + 1, fault)
            hold = {"type": "delay", "seconds": _HELD_SECONDS, "clock": "wall"}
            held = self._fault(which, hold, index, hits=1)
            if verb not in _DELETING and START < step < self._steps - 1 and not self._deletes(step, step + 1):
                about = f"its {what} takes effect only after {_steps(step + 1, step + 1)}"
                until = Disturbance(fault=held, after=_begin(step), until=step + 1)
                yield Plan(pattern="another-writer", about=about, promise=promise, disturbances=[until])
            if verb in _CHANGING:
                about = f"another client annotates the object between its read and its {what}"
                yield self._in_step(step, "conflict", about, promise + 1.5 * (verb == "update"), held, races=True)
            about = f"its {what} is refused with 500"
            fault = self._fault(which, {"type": "error", "code": 500}, index)
            yield self._in_step(step, "overload", about, promise - 0.5, fault)
            about = f"its {what} is refused with 429, {_OVERLOADED} times in a row"
            fault = self._fault(which, {"type": "error", "code": 429, "retryAfterSeconds": 1}, index, hits=_OVERLOADED)
            yield self._in_step(step, "overload", about, promise - 5, fault)

    @cached_property
    def _last_writes(self) -> Mapping[int, float]:
        """The time of the operator's last write in each step, in seconds since the run began (`Sent.seconds`)."""
        found: dict[int, float] = {}
        for steps in self._requests(is_write=True).values():
            for step, writes in steps.items():
                found[step] = max(found.get(step, 0.0), *(write.seconds for write in writes))
        return found

    def _is_partly_handled(self, step: int) -> bool:
        """Return True if kopf wrote into an object, during this step, which of its handlers had succeeded.

        No plan then keeps the operator stopped during the next step. Otherwise, kopf would call only the remaining
        handlers for the changes of the next step, so the objects would differ even if all handlers are right.
        """
        for change in self._observed.changes:
            if max(self._step_at(change.seconds - self._observed.started), 0) != step:
                continue
            annotations = change.document["metadata"].get("annotations") or {}
            progress = ((change.document.get("status") or {}).get("kopf") or {}).get("progress")
            if progress or any(name.startswith(KOPF) and name != KOPF_HANDLED for name in annotations):
                return True
        return False

    def _of_read(self, kind: tuple[str, str, str], step: int, sent: Sequence[Sent], rank: int) -> Iterator[Plan]:
        """Yield plans that disturb the operator's reads with one verb of one resource, in one step.

        `kind` is the verb, API group and resource, and `sent` are the reads. `rank` is the number of earlier steps
        with such reads: plans with a higher rank are tried later.
        """
        verb, _, resource = kind
        which = self._aim(kind, sent)
        for place, index in enumerate(_places(len(sent))[:2]):
            what = f"{verb} {resource} in {_steps(step, step)}" + (f", number {index + 1}," if len(sent) > 1 else "")
            about = f"its {what} is refused with 500"
            promise = 9 - 3 * min(rank, 2) - 0.6 * place - rank / 100
            yield self._in_step(
                step, "overload", about, promise, self._fault(which, {"type": "error", "code": 500}, index)
            )
        pages = [number for number, one in enumerate(sent) if one.is_page]
        if pages:
            about = f"its {verb} {resource} in {_steps(step, step)} gets 410 in the middle of the pages"
            fault = self._fault({**which, "verbs": ["list"]}, {"type": "error", "code": 410}, pages[0])
            yield self._in_step(step, "history", about, 9 - rank, fault)

    def _aim(self, kind: tuple[str, str, str], sent: Sequence[Sent]) -> dict[str, Any]:
        """Return the conditions (``match``) of a fault for the operator's requests with one verb to one resource.

        `kind` is the verb, API group and resource of the requests, and `sent` are the requests. If the operator's
        leader-election lock, such as a Lease, is an object of this resource, the conditions also list the object names
        in `sent`, so that the fault does not hit the frequent renewals of the lock. If a request in `sent` has no
        object name (such as a list), the names are not listed, and renewals may be hit.
        """
        verb, group, resource = kind
        which: dict[str, Any] = {"verbs": [verb], "groups": [group], "resources": [resource]}
        names = sorted({one.name for one in sent})
        if all(names) and any(resource == other for other, _ in self._observed.records):
            which["names"] = names
        return which

    def _in_step(self, step: int, pattern: Any, about: str, promise: float, fault: Any, **fields: Any) -> Plan:
        """Return a plan with one disturbance, whose fault is injected during one step.

        `pattern` is the kind of bug that the plan looks for, and `about` describes the disturbance in one line.
        `promise` is the priority of the plan, and `fields` are further fields of the disturbance.
        """
        disturbance = Disturbance(fault=fault, after=_begin(step), until=max(step, 0), **fields)
        return Plan(pattern=pattern, about=about, promise=promise, disturbances=[disturbance], at=max(step, 0))

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
                promise = 9 - abs(length - 2) / 2 - step / 20 + several + self._deletes(step, last)
                yield Plan(pattern="stale", about=about, promise=promise - 1, disturbances=[held])
                unseen = held.model_copy(update={"relists": True})
                about = f"it sees none of the changes of {what} in {steps}, but only what is left of them"
                yield Plan(pattern="unobserved", about=about, promise=promise, disturbances=[unseen])
        kinds = self._random.sample(tuple(_ENDS), len(_ENDS))
        for step in range(START, self._steps):
            # The watch ends differently in successive steps, so that few runs show how the operator handles each end.
            kinds.reverse()
            for rank, how in enumerate(kinds):
                promise = 4 - step / 20 - rank / 2 + several
                close = {"type": "closeWatch", "how": how, "afterEvents": 0}
                fault = self._fault(which, close, hits=len(resources))
                closing = Disturbance(fault=fault, after=step, until=step + 1)
                about = f"its watch of {what} {_ENDS[how]} after {_steps(step, step)}"
                yield Plan(pattern="history", about=about, promise=promise, disturbances=[closing], at=step + 1)
                if step == self._steps - 1:
                    continue
                during = {"type": "closeWatch", "how": how, "afterEvents": 1}
                fault = self._fault(which, during, hits=len(resources))
                breaking = Disturbance(fault=fault, after=step, until=step + 1)
                about = f"its watch of {what} {_ENDS[how]} at the first event after {_steps(step, step)}"
                yield Plan(pattern="history", about=about, promise=promise + 0.2, disturbances=[breaking], at=step + 1)
            if step != START:
                touching = Disturbance(after=step, until=step, touches=list(resources))
                about = f"another client annotates the objects of {what} after {_steps(step, step)}"
                yield Plan(
                    pattern="another-writer", about=about, promise=9 - step / 20, disturbances=[touching], at=step
                )

    def _of_view(self, resources: Sequence[str]) -> Iterator[Plan]:
        """Yield plans in which an operator reads a state of `resources` that is older than the last one that it read.

        The operator is restarted, or its watch expires. In both cases, its next watch begins at the older state, so
        that the operator gets the events after this state once more.
        """
        if not any(one.is_any and qualified(one.resource, one.group) in resources for one in self._observed.sent):
            return
        which = {"verbs": ["watch"], "resources": list(resources)}
        what = " and ".join(resources)
        for view, step in self._recreations(resources):
            held = self._fault(which, {"type": "delayEvents"})
            older = Disturbance(fault=held, after=step, until=step, restarts=True, view=view, view_of_deletion=True)
            about = (
                f"it is started again after {_steps(step, step)}, and sees {what} as during the deletion in "
                f"{_steps(view, view)}"
            )
            yield Plan(pattern="stale", about=about, promise=12 - (step - view) / 10, disturbances=[older])
        for step in range(1, self._steps):
            for view in range(START, step):
                held = self._fault(which, {"type": "delayEvents"})
                older = Disturbance(fault=held, after=step, until=step, restarts=True, view=view)
                about = f"it is started again after {_steps(step, step)}, and sees {what} as after {_steps(view, view)}"
                promise = 10 + step / 5 - (step - view) / 10 + len(resources) / 10 - (view == START)
                yield Plan(pattern="stale", about=about, promise=promise, disturbances=[older])
            closing = self._fault(which, {"type": "closeWatch", "how": "expired"}, hits=len(resources))
            again = Disturbance(fault=closing, after=step, until=step, view=step - 1)
            about = (
                f"its watch of {what} {_ENDS['expired']} after {_steps(step, step)}, and it sees this step once more"
            )
            # After status 410, client-go lists without resourceVersion=0, and then gets the newest state. So few
            # operators read the older state that this plan offers, and the priority of the plan is low.
            yield Plan(pattern="stale", about=about, promise=3 - step / 20, disturbances=[again])

    def _recreations(self, resources: Sequence[str]) -> list[tuple[int, int]]:
        """Return a pair of step numbers for each object of `resources` that was deleted and created again.

        The first number is that of the last step in which the object had a deletionTimestamp. The second is that of the
        later step in which an object with the same name was created.
        """
        found: set[tuple[int, int]] = set()
        terminating: dict[tuple[str, str], int] = {}
        for change in self._observed.changes:
            if change.resource_in(self._observed.resources) not in resources:
                continue
            step = self._step_at(change.seconds - self._observed.started)
            if change.is_of_terminating:
                terminating[change.kind, change.name] = step
            elif change.what == "created" and terminating.get((change.kind, change.name), step) < step:
                found.add((terminating[change.kind, change.name], step))
        return sorted(found)

    def _of_lease(self) -> Iterator[Plan]:
        records = self._observed.records
        if not any((one.resource, one.name) in records and one.is_write for one in self._observed.sent):
            return
        written = {step for steps in self._requests(is_write=True).values() for step in steps}
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
        yield Plan(pattern="restart", about=about, promise=5 - step / 20, disturbances=[restart], at=step)
        for last in range(step + 1, min(step + 3, self._steps)):
            stopped = Disturbance(after=step, until=last, stops=True)
            about = f"the operator does not run during {_steps(step + 1, last)}"
            promise = 9.6 - abs(last - step - 1) / 2 - step / 20 + 2 * self._deletes(step, last)
            yield Plan(pattern="unobserved", about=about, promise=promise, disturbances=[stopped])
            paused = Disturbance(after=step, until=last, pauses=True)
            about = f"the operator is paused (SIGSTOP) during {_steps(step + 1, last)}"
            yield Plan(pattern="clock", about=about, promise=promise, disturbances=[paused])

    def _deletes(self, first: int, last: int) -> bool:
        """Return True if a step of the workload after the step `first`, up to the step `last`, deletes an object."""
        return any(step.delete for step in self._workload[max(first + 1, 0) : last + 1])

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


def _places(count: int) -> list[int]:
    """Return the indices of the requests to disturb: the first two and the last of `count` requests."""
    return sorted({0, min(1, count - 1), count - 1})


def _begin(step: int) -> int:
    """Return the number of the step after which a disturbance must begin, to hit requests in the step `step`.

    For the first step, return START: the disturbance begins when the operator starts.
    """
    return step - 1 if step > 0 else START


def _steps(first: int, last: int) -> str:
    if last == START:
        return "the start"
    if first == last:
        return f"step {first + 1}"
    return f"the start to step {last + 1}" if first == START else f"steps {first + 1} to {last + 1}"
