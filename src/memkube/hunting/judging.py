"""Compares a run with faults with the runs without faults, and decides whether the operator violated a rule."""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from math import inf
from typing import Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.apimachinery.quantity import Quantity
from memkube.hunting.end_state import (
    ABSENT,
    KOPF,
    Difference,
    Path,
    Reference,
    RepeatedChanges,
    State,
    documents_of,
    value_at,
)
from memkube.hunting.plan import Disturbance, Plan
from memkube.hunting.run import Observation

_UNOBSERVING: Final = ("stale", "unobserved", "inputs")
"""Patterns of plans in which an operator may not see states of objects that exist only for a short time.

Missing PersistentVolumeClaims are no violation in these patterns.
"""
_KEPT: Final = frozenset({"PersistentVolumeClaim", "PersistentVolume"})
"""Kinds whose objects an operator may keep although a custom resource no longer needs them."""
_REQUEST: Final = ("spec", "resources", "requests", "storage")
"""Path of the size for which a PersistentVolumeClaim asks."""
_GENERATED: Final = frozenset({"data", "stringData", "binaryData", "spec"})
_MISTAKE: Final = re.compile(
    r"\b(TypeError|KeyError|AttributeError|IndexError|NameError|UnboundLocalError|ZeroDivisionError|ReferenceError|"
    r"RangeError)\b:|\bpanic: |Observed a panic|runtime error: "
)


class Verdict(NamedTuple):
    """A rule that a run with faults violates, with the objects and the descriptions of the violations."""

    oracle: str
    """Name of the rule that the run violates: ``end-state``, ``deletion``, ``lease``, ``invariant``, ``livelock``,
    ``lost-update``, ``rewrite`` or ``panic``."""
    objects: tuple[str, ...]
    """Sorted kinds and names of the objects that violate the rule."""
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
        self._random = {one for reference in self.references.values() for one in reference.masked if one[1]}
        self._rewritten = {key for one in undisturbed for key in self._rewrites(one)}
        self.restless: set[tuple[str, Path]] = set()
        """Kinds and paths of fields that the operator changes again and again, which are not compared.

        They are found while runs wait.
        """
        self._faults = {line for one in undisturbed for line in programming_errors(one.output)}

    @property
    def variations(self) -> list[str]:
        """One line for each field or object that is not compared, most because the runs without faults differ in it."""
        found = [line for reference in self.references.values() for line in reference.variations.values()]
        again = [f"{kind}: {'.'.join(path)} changes again and again" for kind, path in sorted(self.restless)]
        return list(dict.fromkeys([*found, *again]))

    def compares_nothing(self, created: AbstractSet[tuple[str, str]]) -> bool:
        """Return True if no object of the operator can be compared with the objects of a run with faults.

        This is so if the runs without faults agree on none of its objects: each name occurs in only some of these runs,
        and for each kind, the number of objects with generated names differs between them. `created` has the kinds and
        names of the objects that the operator created.
        """
        own = {
            (step, key)
            for step, reference in self.references.items()
            for key in {*reference.state, *reference.unstable}
            if key[0] in reference.chance or "*" in key[1] or (key[0], key[1].rpartition("/")[2]) in created
        }
        return bool(own) and all(key in self.references[step].unstable for step, key in own)

    def is_settled(self, step: int, state: State, plan: Plan | None = None) -> bool:
        """Return True if `state`, the objects after a step, equals the objects after it in the runs without faults.

        Differences that the faults of `plan` may cause even with a correct operator are ignored.
        """
        return not self._differences(step, state, plan)

    def settling(self, plan: Plan | None) -> Callable[[int, State], bool]:
        """Return a function for one run with the faults of `plan` that calls `is_settled`.

        It must be called again and again while the run waits: it adds to `restless`.
        """
        changes = RepeatedChanges(self.restless)

        def is_settled(step: int, state: State) -> bool:
            changes.read(step, state)
            return self.is_settled(step, state, plan)

        return is_settled

    def _differences(self, step: int, state: State, plan: Plan | None) -> list[Difference]:
        """Return the differences between `state` and the objects after the same step in the runs without faults.

        `state` has the objects after step number `step` of a run with the faults of `plan`. Some differences are left
        out, because a correct operator may cause them:

        - the status of an object that has no other difference, if kopf may have lost the status in a crash;
        - a missing PersistentVolumeClaim, if the faults of the plan may hide short-lived states of objects from the
          operator (the plan's pattern is in `_UNOBSERVING`);
        - for a plan with the pattern ``inputs``, differences that do not show that a change was ignored.
        """
        found = [one for one in self.references[step].differences(state) if (one.key[0], one.path) not in self.restless]
        if plan is None:
            return found
        lost = [one for one in found if self._is_lost_by_kopf(one, step, state, plan)]
        wrong = {one.key for one in found if one not in lost}
        found = [one for one in found if one not in lost or one.key in wrong]
        if plan.pattern not in _UNOBSERVING:
            return found
        found = [one for one in found if one.key[0] != "PersistentVolumeClaim" or not one.is_missing]
        if plan.pattern == "inputs":
            # In the runs without faults, the operator has seen all steps; in the run with this plan, only the last one.
            # Leave out differences that a correct operator may show because it has not seen the earlier steps.
            along = {number: reference.state for number, reference in self.references.items()}
            found = without_sizes(without_history(found, state, along[step]), along[step], state)
            return [one for one in found if is_due_to_change(one, along, step, state)]
        return found

    def _is_lost_by_kopf(self, difference: Difference, step: int, state: State, plan: Plan) -> bool:
        """Return True if kopf may have caused `difference` by losing a status, though the handlers are right.

        Kopf first records in the object that a handler has succeeded, and writes the status in a second request. If it
        is killed between both requests, it never calls the handler again. The status is then absent, or as it was after
        an earlier step.

        `state` has the objects after step `step` of the run with the faults of `plan`.
        """
        documents = state.get(difference.key, ())
        if difference.path[:1] != ("status",) or len(documents) != 1 or not _is_handled_by_kopf(documents[0]):
            return False
        group = str(documents[0].get("apiVersion")).rpartition("/")[0]
        if not any(_kills_between_patches(disturbance, group) for disturbance in plan.disturbances):
            return False
        earlier = [
            _one_value(reference.state, difference) for number, reference in self.references.items() if number < step
        ]
        return _one_value(state, difference) in (ABSENT, *earlier)

    def differences(self, observed: Observation, plan: Plan | None) -> list[Difference]:
        """Return the differences between the objects of the run `observed` and those of the runs without faults.

        The compared objects are those after the step `observed.wrong_step`: the first step after which they were not as
        expected. If there was no such step, the result is empty. `plan` has the run's disturbances.
        """
        step = observed.wrong_step
        return [] if step is None else self._differences(step, observed.states[step], plan)

    def verdicts(self, observed: Observation, plan: Plan | None = None) -> list[Verdict]:
        """Return a Verdict for each rule that the run `observed` violates, most serious first.

        `plan` has the faults that were injected into the run; None for a run without faults.
        """
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
        if observed.overwritten:
            lines = tuple(f"{name}: the change of another client is lost" for name in observed.overwritten)
            found.append(Verdict("lost-update", tuple(observed.overwritten), lines))
        differences = self.differences(observed, plan)
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
        rewritten = [key for key in self._rewrites(observed) if key not in self._rewritten]
        if rewritten:
            objects = tuple(dict.fromkeys(f"{kind} {name}" for kind, name, _ in rewritten))
            lines = tuple(
                f"{kind} {name}: {'.'.join(path)} was generated again, without the fault it keeps its value"
                for kind, name, path in rewritten
            )
            found.append(Verdict("rewrite", objects, lines))
        return found

    def is_right(self, observed: Observation) -> bool:
        """Return True if `observed`, a run of the workload, has no violation, so that `verdicts` is empty."""
        return not self.verdicts(observed)

    def _rewrites(self, observed: Observation) -> dict[tuple[str, str, Path], None]:
        """Return the fields whose random values, such as passwords, the operator replaced during the run `observed`.

        The fields are the keys of the result: (kind, object name, field path). An operator should generate a random
        value only once.
        """
        found: dict[tuple[str, str, Path], None] = {}
        for change in observed.changes:
            if change.previous is None or change.what != "updated":
                continue
            for kind, path in self._random:
                if kind != change.kind or path[0] not in _GENERATED:
                    continue
                values = {value_at(one, path) for one in (change.previous, change.document)}
                if len(values) > 1 and ABSENT not in values:
                    found[kind, change.name, path] = None
        return found

    def panics(self, observed: Observation) -> list[str]:
        """Return the lines with programming errors in the operator's output during the run `observed`.

        Lines that also occur in the runs without faults are left out.
        """
        return [line for line in programming_errors(observed.output) if line not in self._faults]


def is_due_to_change(difference: Difference, along: Mapping[int, State], step: int, fresh: State) -> bool:
    """Return True if `difference` shows that the operator ignored a change of its custom resource.

    The difference was found after step number `step`, between two runs. In one of them, the operator saw all steps:
    `along` has the objects after each step. In the other, the operator was started only after the last step: `fresh`
    has its objects.

    Return False for a status, an annotation, a PersistentVolume or a PersistentVolumeClaim, because it may depend on
    earlier steps. Return False also if `fresh` has the first value that the field had in `along`, in two cases: the
    value in `along` is now a number, which may count the steps; or only the last step changed it.
    """
    if difference.key[0] in _KEPT:
        return False
    if not difference.path:
        return True
    if difference.path[0] == "status" or difference.path[:2] == ("metadata", "annotations"):
        return False
    values = [_one_value(along[number], difference) for number in sorted(along) if number <= step]
    first = next((value for value in values if value != ABSENT), ABSENT)
    if _one_value(fresh, difference) != first or values[-1] == first:
        return True
    return not values[-1].strip('"').isdigit() and len(values) > 1 and values[-1] == values[-2]


def without_history(found: Sequence[Difference], *states: State) -> list[Difference]:
    """Return the differences in `found`, without objects that an operator may keep as a history of its work.

    `states` are the two sets of objects that were compared. Missing or additional Jobs, and Pods of Jobs, are left out.
    If a number or a list in the status of an object differs too, missing or additional objects of all kinds are left
    out: the operator probably counts or lists in the status what it has done.
    """
    counts = any(_is_count(one, states) for one in found)
    return [one for one in found if one.path or not (counts or _is_job(one, states))]


def without_sizes(found: Sequence[Difference], along: State, fresh: State) -> list[Difference]:
    """Return the differences in `found`, without those that a volume causes because it cannot shrink.

    `along` has the objects of an operator that saw the custom resource ask for a volume, and later for a smaller one;
    `fresh` has those of an operator that saw only the smaller size. The API server refuses a smaller size for a
    PersistentVolumeClaim, so a correct operator keeps the larger one. If a claim in `along` is larger than in `fresh`,
    fields of a status are left out, and values that contain the number of the larger size.
    """
    sizes = [size for one in found if (size := _larger_size(one, along, fresh))]
    if not sizes:
        return list(found)
    numbers = "|".join(re.escape(size.rstrip("EPTGMkimun")) for size in sizes)
    named = re.compile(rf"(?<![\d.])({numbers})(?![\d.])")
    return [
        one for one in found if not one.path or (one.path[0] != "status" and not named.search(_one_value(along, one)))
    ]


def _larger_size(difference: Difference, along: State, fresh: State) -> str:
    """Return the size in `along` of the claim that `difference` is about if it is larger than in `fresh`, or ""."""
    if difference.key[0] != "PersistentVolumeClaim" or difference.path != _REQUEST:
        return ""
    values = [_one_value(state, difference) for state in (along, fresh)]
    if ABSENT in values:
        return ""
    kept, asked = (Quantity.parse(json.loads(value)) for value in values)
    return kept if kept.nano > asked.nano else ""


def _is_count(difference: Difference, states: Sequence[State]) -> bool:
    """Return True if `difference` is in a number or a list of an object's status.

    `states` are the two sets of objects that were compared. Generations and conditions do not count.
    """
    path = difference.path
    if path[:1] != ("status",) or "conditions" in path or path[-1].lower().endswith("generation"):
        return False
    values = [_one_value(state, difference) for state in states]
    return any(name.isdigit() for name in path) or any(value.isdigit() or value.startswith("[") for value in values)


def _is_job(difference: Difference, states: Sequence[State]) -> bool:
    """Return True if `difference` is about a Job or a Pod of a Job; `states` are the two sets of objects compared."""
    documents = [document for state in states for document in documents_of(state, difference.key)]
    owners = [owner for document in documents for owner in document["metadata"].get("ownerReferences") or ()]
    return "Job" in (difference.key[0], *(owner.get("kind") for owner in owners))


def _is_handled_by_kopf(document: Document) -> bool:
    return any(name.startswith(KOPF) for name in document["metadata"].get("annotations") or {})


def _kills_between_patches(disturbance: Disturbance, group: str) -> bool:
    """Return True if `disturbance` kills the operator between a patch of an object and the patch of its status.

    `group` is the API group of the resource.
    """
    fault = disturbance.fault or {}
    match = fault.get("match", {})
    if not disturbance.kills or match.get("verbs") != ["patch"] or match.get("groups") != [group]:
        return False
    is_status = any(name.endswith("/status") for name in match.get("resources", ()))
    return bool(fault.get("effect", {}).get("afterWrite")) is not is_status


def is_stuck(difference: Difference, latest: State, before_revert: State, before_changes: State) -> bool:
    """Return True if `difference` shows that the operator ignored the steps that reverted the plan's changes.

    The objects of the run were recorded three times: `before_changes` has them before the plan's changes,
    `before_revert` after the changes, and `latest` at the end, after the changes were reverted. `difference` is one
    between `before_changes` and `latest`. A field counts only if its value is still that in `before_revert`.

    Return False for differences that a correct operator may leave:

    - in a PersistentVolume, a PersistentVolumeClaim or an annotation;
    - in a status field that did not exist before the changes;
    - in the name of an object, if there are as many objects of its kind as before: some operators name objects after
      the generation of a custom resource.
    """
    if difference.key[0] in _KEPT or difference.path[:2] == ("metadata", "annotations"):
        return False
    if difference.path[:1] == ("status",) and _one_value(before_changes, difference) == ABSENT:
        return False
    if not difference.path and _is_renamed(difference.key[0], latest, before_revert, before_changes):
        return False
    return not difference.path or _one_value(latest, difference) == _one_value(before_revert, difference)


def _is_renamed(kind: str, latest: State, before_revert: State, before_changes: State) -> bool:
    """Return True if, at the end of the run, objects of `kind` differ from those before the changes only in names.

    This is so if there are as many objects as before the plan's changes, and if those with new names were created after
    the changes were reverted. `latest`, `before_revert` and `before_changes` are as for `is_stuck`.
    """
    counts = [sum(len(state[key]) for key in state if key[0] == kind) for state in (latest, before_changes)]
    return counts[0] == counts[1] and all(
        key not in before_revert for key in latest if key[0] == kind and key not in before_changes
    )


def _one_value(state: State, difference: Difference) -> str:
    documents = state.get(difference.key, ())
    return value_at(documents[0], difference.path) if len(documents) == 1 else ABSENT


def programming_errors(output: str) -> list[str]:
    """Return the lines of the operator's output with exceptions that only a programming error can cause."""
    return list(dict.fromkeys(line.strip()[:200] for line in output.splitlines() if _MISTAKE.search(line)))


def _deletions(observed: Observation) -> Counter[tuple[str, str]]:
    """Return how many objects the operator deleted during the run `observed`, by resource and name.

    A generated suffix of the name is replaced by ``*``.

    An object that the operator may have created only because of the faults is not counted, because it is right to
    delete it again. For example, the operator may create an object twice because the answer to its first request was
    lost. So objects are left out if they were created after the first fault hit a request, or after the first
    disturbance began that may delay the operator (`lets_lag`). An object is counted nevertheless if it existed at a
    time when all objects were as expected (`expected_uids`).
    """
    hits = [observed.started + one.seconds for one in observed.sent if one.fault]
    since = min([*hits, *([] if observed.lags_since is None else [observed.lags_since])], default=inf)
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
        is_passing = created.get(change.uid, -inf) >= since and change.uid not in observed.expected_uids
        if not is_passing and (change.what == "deleted" or "deletionTimestamp" in metadata):
            ended.setdefault(plain.get(name, name), set()).add(change.uid)
    asked = Counter(
        (one.resource, plain.get(one.name, one.name))
        for one in observed.sent
        if one.verb == "delete" and one.code in (200, 202)
    )
    return Counter({key: min(count, len(ended.get(key[1], ()))) for key, count in asked.items()})
