"""Compares a run with faults with the runs without faults, and decides whether the operator has a bug."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from memkube.hunting.end_state import Difference, Reference, State
from memkube.hunting.plan import Plan
from memkube.hunting.run import Observation

_UNOBSERVING: Final = ("stale", "unobserved", "inputs")
"""Patterns in which an operator may not see short-lived states of objects.

Missing PersistentVolumeClaims are no violation in these patterns.
"""


class Verdict(NamedTuple):
    """A violated rule in a run with faults."""

    oracle: str
    """Name of the violated rule: ``end-state``, ``deletion``, ``lease``, ``invariant`` or ``livelock``."""
    objects: tuple[str, ...]
    """Kinds and names of the objects that violate the rule, sorted."""
    lines: tuple[str, ...]
    """Descriptions of the violations of the rule, one line each."""


class Judge:
    """Judges runs with faults by comparing their end states and deletions with those of the runs without faults."""

    def __init__(self, undisturbed: Sequence[Observation]) -> None:
        first, *others = undisturbed
        self.references = {step: Reference(state) for step, state in first.states.items()}
        for other in others:
            for step, reference in self.references.items():
                reference.learn(other.states[step])
        self._most: Counter[tuple[str, str]] = Counter()
        self._chance: set[str] = set()
        """Resources of deleted objects whose names differ between the runs without faults."""
        deletions = [_deletions(one) for one in undisturbed]
        for counts in deletions:
            for key, count in counts.items():
                self._most[key] = max(self._most[key], count)
                if any(key not in other for other in deletions):
                    self._chance.add(key[0])
        self._names = {name for _, name in self._most}

    def is_settled(self, step: int, state: State, plan: Plan | None = None) -> bool:
        """Return True if the objects after a step equal those after the same step of the runs without faults."""
        return not self._differences(step, state, plan)

    def _differences(self, step: int, state: State, plan: Plan | None) -> list[Difference]:
        """Return the differences between the objects after a step and those of the runs without faults.

        Missing PersistentVolumeClaims are ignored in patterns in which the operator may not see a short-lived state.
        """
        found = self.references[step].differences(state)
        if plan is None or plan.pattern not in _UNOBSERVING:
            return found
        found = [one for one in found if one.key[0] != "PersistentVolumeClaim" or not one.is_missing]
        if plan.pattern == "inputs":
            found = [one for one in found if not one.what.startswith(("status", "metadata.annotations"))]
        return found

    def verdicts(self, observed: Observation, plan: Plan | None = None) -> list[Verdict]:
        """Return the rules that a run violates, most serious first."""
        found: list[Verdict] = []
        if observed.usurped:
            written = [f"{one.verb} {one.resource} {one.name}".strip() for one in observed.usurped]
            lines = tuple(f"{one}, while another process held its lease" for one in dict.fromkeys(written))
            found.append(Verdict("lease", tuple(dict.fromkeys(written)), lines))
        if observed.violated:
            lines = tuple(f"{name} does not hold after: {change}" for name, change in observed.violated.items())
            found.append(Verdict("invariant", tuple(observed.violated), lines))
        if observed.busy:
            found.append(Verdict("livelock", (), (observed.busy,)))
            return found
        step = observed.wrong_step
        differences = [] if step is None else self._differences(step, observed.states[step], plan)
        if differences:
            objects = tuple(dict.fromkeys(f"{one.key[0]} {one.key[1]}" for one in differences))
            found.append(Verdict("end-state", objects, tuple(map(str, differences))))
        deleted = [
            (kind, name, count, self._most[kind, name])
            for (kind, name), count in sorted(_deletions(observed).items())
            if count > self._most[kind, name] and (name in self._names or kind not in self._chance)
        ]
        if deleted:
            objects = tuple(f"{kind} {name}" for kind, name, _, _ in deleted)
            lines = tuple(
                f"{kind} {name} was deleted {count} times, without the fault {most}"
                for kind, name, count, most in deleted
            )
            found.append(Verdict("deletion", objects, lines))
        return found

    def is_right(self, observed: Observation) -> bool:
        """Return True if a run violates no rule."""
        return not self.verdicts(observed)


def _deletions(observed: Observation) -> Counter[tuple[str, str]]:
    """Return the number of objects that the operator deleted, by resource and name.

    A generated suffix of the name is replaced by ``*``. Objects that were created after the first disturbance with
    `lets_lag` began are not counted: the operator may have created them based on outdated objects, and may delete them
    again.
    """
    plain: dict[str, str] = {}
    created: dict[str, float] = {}
    ended: dict[str, set[str]] = {}
    for change in observed.changes:
        metadata = change.document["metadata"]
        name = metadata["name"]
        if metadata.get("generateName"):
            plain[name] = f"{metadata['generateName']}*"
        if change.what == "created":
            created[change.uid] = change.seconds
        is_passing = observed.lags_since is not None and created.get(change.uid, 0.0) >= observed.lags_since
        if not is_passing and (change.what == "deleted" or "deletionTimestamp" in metadata):
            ended.setdefault(plain.get(name, name), set()).add(change.uid)
    asked = Counter(
        (one.resource, plain.get(one.name, one.name))
        for one in observed.sent
        if one.verb == "delete" and one.code in (200, 202)
    )
    return Counter({key: min(count, len(ended.get(key[1], ()))) for key, count in asked.items()})
