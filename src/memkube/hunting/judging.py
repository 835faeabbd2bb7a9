"""Compares a run with faults to the runs without faults."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from memkube.hunting.end_state import Reference, State
from memkube.hunting.run import Observation


class Verdict(NamedTuple):
    """One thing that was wrong in a run with faults."""

    oracle: str
    """``end-state``, ``deletion``, ``lease``, ``invariant`` or ``livelock``."""
    objects: tuple[str, ...]
    """Kinds and names of the objects, in order."""
    lines: tuple[str, ...]
    """Descriptions of what was wrong, each in one line."""


class Judge:
    """Judges runs with faults by the end states, creations and deletions of the runs without faults."""

    def __init__(self, undisturbed: Sequence[Observation]) -> None:
        first, *others = undisturbed
        self.references = {step: Reference(state) for step, state in first.states.items()}
        for other in others:
            for step, reference in self.references.items():
                reference.learn(other.states[step])
        self._most: Counter[tuple[str, str]] = Counter()
        self._chance: set[str] = set()
        """Resources of which objects are deleted whose names differ from run to run."""
        deletions = [_deletions(one) for one in undisturbed]
        for counts in deletions:
            for key, count in counts.items():
                self._most[key] = max(self._most[key], count)
                if any(key not in other for other in deletions):
                    self._chance.add(key[0])
        self._names = {name for _, name in self._most}

    def is_settled(self, step: int, state: State) -> bool:
        """Return True if the objects after a step are equal to those after this step in the runs without faults."""
        return not self.references[step].differences(state)

    def verdicts(self, observed: Observation) -> list[Verdict]:
        """Return the things that were wrong in a run, the gravest first; an empty list if the run was right."""
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
        differences = [] if step is None else self.references[step].differences(observed.states[step])
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
        """Return True if nothing was wrong in a run."""
        return not self.verdicts(observed)


def _deletions(observed: Observation) -> Counter[tuple[str, str]]:
    """Return how often the operator has deleted each object, by resource and name without its generated part."""
    plain: dict[str, str] = {}
    for change in observed.changes:
        metadata = change.document["metadata"]
        if metadata.get("generateName"):
            plain[metadata["name"]] = f"{metadata['generateName']}*"
    return Counter(
        (one.resource, plain.get(one.name, one.name))
        for one in observed.sent
        if one.verb == "delete" and one.code in (200, 202)
    )
