"""Compares the objects at the end of a run that changes custom resources with those of other runs."""

from collections.abc import Mapping
from typing import Any, Final

from memkube.hunting.end_state import Difference, Reference, RepeatedChanges, State
from memkube.hunting.judging import Judge, Verdict, is_due_to_change, is_stuck, without_history, without_sizes
from memkube.hunting.plan import START, Plan
from memkube.hunting.run import Observation, Sent

_REFUSED: Final = 300


class ChangedInputs:
    """Compares the objects of one run of the workload and of a plan that changes custom resources after it.

    The objects at the end must equal `fresh`, the final objects of an operator that is started only after the changes.
    For a plan that reverts its changes, `fresh` is None, and the objects must be as before the changes.
    """

    def __init__(self, workload: int, judge: Judge, plan: Plan, fresh: State | None) -> None:
        """Prepare to compare the objects of a run with `plan`. `workload` is the number of the workload's steps."""
        self._workload = workload
        self._judge = judge
        self._plan = plan
        self.fresh = fresh
        self.last = workload + len(plan.steps) - 1
        """Number of the last step that changes a custom resource."""
        self._base_step = workload if plan.steps[0].apply is not None else workload - 1
        self._seen: dict[int, State] = {}
        """The objects after each step."""
        self._changes = RepeatedChanges(judge.restless)

    def is_settled(self, step: int, state: State) -> bool:
        """Return True if `state`, the objects after a step, are as they must be after it."""
        self._seen[step] = state
        self._changes.read(step, state)
        if step < self._workload:
            return self._judge.is_settled(step, state)
        return step < self.last or not self._wrong(state)

    def differences(self, observed: Observation) -> list[Difference]:
        """Return the differences between the objects at the end of the run and the right ones; none before its end."""
        return [] if self.last not in observed.states else self._wrong(observed.states[self.last])

    def _wrong(self, state: State) -> list[Difference]:
        """Return the differences between `state`, the objects at the end of the run, and the right objects."""
        seen = {**self._seen, self.last: state}
        before = seen[self._base_step]
        if self.fresh is None:
            found = without_history(self.reference(before).differences(state), state, before)
            found = without_sizes(found, state, before)
            last_change = (self._base_step + self.last) // 2
            return [one for one in found if is_stuck(one, state, seen[last_change], before)]
        found = without_history(self.reference(self.fresh).differences(state), state, self.fresh)
        found = without_sizes(found, state, self.fresh)
        if self._is_refused(self.fresh):
            found = [one for one in found if one.path]
        return [one for one in found if is_due_to_change(one, seen, self.last, self.fresh)]

    def _is_refused(self, fresh: State) -> bool:
        """Return True if the operator refuses the new value: if it is started with the value, it creates nothing.

        A correct operator may then keep the objects of the last value that it accepted. Zero and empty values do not
        count: they can ask for no objects.
        """
        change = self._plan.steps[-1].patch
        value: Any = change.patch if change else None
        while isinstance(value, Mapping) and value:
            value = next(iter(value.values()))
        if not value or START not in self._judge.references:
            return False
        known = self._judge.references[START].state
        return all(key in known or (change and key[0] == change.kind) for key in fresh)

    def verdicts(self, observed: Observation) -> list[Verdict]:
        """Return the rules (at most one) that the run violates. `observed` is what was observed in the run."""
        if observed.failure:
            return []
        mistakes = self._judge.panics(observed)
        if observed.busy or mistakes:
            if not self._plan.is_typed:
                return []
            if observed.busy:
                return [Verdict("livelock", (), (observed.busy,))]
            return [Verdict("panic", (), (*mistakes,))]
        found = self.differences(observed)
        if not found or (self._plan.is_new and not self._responds(observed)):
            return []
        objects = tuple(dict.fromkeys(f"{one.key[0]} {one.key[1]}" for one in found))
        instead = "before the changes" if self._plan.returns else "after a fresh start"
        lines = tuple(f"{one}".replace("without the fault", instead) for one in found)
        return [Verdict("end-state", objects, lines)]

    def reference(self, state: State) -> Reference:
        """Return a Reference with which the objects of other runs are compared with the objects in `state`.

        As in other comparisons, fields that differ between the runs without faults, and generated names, do not count.
        """
        known = self._judge.references.values()
        reference = Reference(state)
        reference.masked = {one for each in known for one in (*each.masked, *each.counted)} | self._judge.restless
        reference.chance = {one for each in known for one in each.chance}
        if reference.chance:
            reference.named = {one for each in known for one in each.named}
        return reference

    def _responds(self, observed: Observation) -> bool:
        """Return True if the operator wrote an object after the changes began.

        Custom resources, Events and Leases do not count.
        """
        customs = {one.document["spec"]["names"]["plural"] for one in observed.changes if "Definition" in one.kind}
        since = observed.step_ends[self._base_step + 1]
        return any(_is_answer(one, customs) for one in observed.sent if one.seconds > since)


def _is_answer(request: Sent, customs: set[str]) -> bool:
    is_done = request.is_write and 0 < request.code < _REFUSED
    return is_done and request.resource.split("/")[0] not in {*customs, "events", "leases"}
