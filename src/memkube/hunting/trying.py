"""Runs an operator's workload with planned faults, checks the results, and repeats runs that violate a rule."""

from collections.abc import Callable, Mapping, Sequence
from math import inf
from threading import Lock
from time import monotonic
from typing import Final, NamedTuple, Protocol

from memkube.hunting.description import Hunt
from memkube.hunting.end_state import Difference, Reference, State
from memkube.hunting.judging import Judge, Verdict, is_due_to_change, is_stuck, without_history
from memkube.hunting.plan import START, Disturbance, Plan
from memkube.hunting.report import Finding, HuntReport, explained
from memkube.hunting.run import Observation, OutOfTime, Sent, qualified
from memkube.hunting.story import story_of

_REFUSED: Final = 300
_EXPIRED: Final = 410
_HIDING: Final = frozenset({"stale", "unobserved", "another-writer", "clock", "outage", "lease-lost", "restart"})
"""Patterns of plans in which the operator may not see states of objects that exist only for a short time."""
_SOON_SECONDS: Final = 10.0
"""Minimum delay in seconds of a retry, announced by an operator, that counts as slow.

Plans for slow operators are tried one at a time.
"""


class RunPlan(Protocol):
    """Function that runs the workload with the disturbances of a plan, or without faults if the plan is None."""

    def __call__(self, plan: Plan | None, is_settled: Callable[[int, State], bool], waits_longer: bool) -> Observation:
        """Run the workload with the faults of `plan` (None: without faults), and return what was observed.

        After each step of the workload, wait until `is_settled` returns True. Its arguments are the number of the step
        and the objects that exist after it. `waits_longer` is True if the run repeats another run, to confirm a
        violation. Such a run waits longer.

        Raises OutOfTime if a run with faults would begin after the deadline of the search, or if a run is not finished
        at the deadline. Runs with `waits_longer` may end after the deadline, and so may the runs of the plans that a
        search tries first. While the search shortens the workloads of its findings, no run may.
        """


class Tried(NamedTuple):
    """Result of one run with the faults of several plans: the bugs that were found, and the plans to try again."""

    findings: list[Finding]
    left: list[Plan]
    """Plans that disturb steps that the run did not reach, because it ended before."""
    later: list[Plan]
    """Plans to try again, because the operator announced that it retries only after several seconds."""


class Trials:
    """Runs the workload with planned faults, and returns a Finding for each violation that a second run confirms.

    Plans whose faults had no effect, and violations that did not recur, are added to the report of the search. May be
    used from several threads.
    """

    def __init__(self, hunt: Hunt, judge: Judge, report: HuntReport, run: RunPlan) -> None:
        self._hunt = hunt
        self._judge = judge
        self._report = report
        self._run = run
        self._seen: set[tuple[str, tuple[str, ...]]] = set()
        self._right_at = -inf
        """Time by ``time.monotonic`` at which the newest run without a violation ended."""
        self._slow = Lock()
        """Held while a plan is repeated for which the operator announced that it retries only after a long time."""

    def tried(self, plans: Sequence[Plan]) -> Tried:
        """Run the workload once with the disturbances of all `plans`, which disturb different steps.

        If the run violates a rule, the plans whose disturbances had an effect are tried one by one. Return the
        findings, and the plans that the caller has to try again. A plan that changes custom resources (`Plan.steps`)
        must be given alone.
        """
        if plans[0].steps:
            return self._tried_inputs(plans[0])
        merged = _merged(plans)
        observed = self._observe(merged, waits_longer=False)
        verdicts = [] if observed.failure else self._judge.verdicts(observed, merged)
        owners = [plan for plan in plans for _ in plan.disturbances]
        hit = [plan for plan in plans if any(owners[number] is plan for number in observed.hit)]
        hit = [plan for plan in hit if not _expires_first_page(plan, observed)]
        if not verdicts and not observed.failure:
            self._right_at = monotonic()
        left: list[Plan] = []
        for plan in plans:
            if plan in hit:
                continue
            if verdicts and len(plans) > 1:
                left.append(plan)
            else:
                self._report.unhit.append(plan.about)
                self._report.coverage[plan.target].unhit += 1
        if not verdicts or self._is_known(verdicts) or not hit:
            return Tried([], left, [])
        try:
            return self._confirmed_later(merged, hit, left, observed, verdicts)
        except OutOfTime:
            self._note_unconfirmed(merged, verdicts)
            return Tried([], left, [])

    def _note_unconfirmed(self, plan: Plan, verdicts: Sequence[Verdict]) -> None:
        """Report the violations `verdicts` of a plan as unconfirmed, because there was no time to repeat the plan."""
        self._report.unconfirmed.append(f"{plan.about} ({verdicts[0].oracle}: {', '.join(verdicts[0].lines[:3])})")

    def _confirmed_later(
        self, merged: Plan, hit: list[Plan], left: list[Plan], observed: Observation, verdicts: Sequence[Verdict]
    ) -> Tried:
        """Find the plan that caused the violations `verdicts` of a run: repeat the plans in `hit` one by one.

        The run had the faults of several plans, which `merged` combines; `observed` is what was recorded in it. The
        plans in `hit` had an effect. The plans in `left` had none, because the run ended too early: the result says
        that they must be tried again. Raises OutOfTime if the time of the search is over before the plan is found.
        """
        is_one = len(hit) == 1
        if is_one and self._depends_on_history(hit[0], observed, verdicts):
            return Tried([], left, [])
        is_slow = observed.retries_in > _SOON_SECONDS
        if is_slow and not self._slow.acquire(blocking=False):
            return Tried([], left, hit)
        try:
            for plan in _likeliest_first(hit, observed.wrong_step):
                found = self._confirmed(plan, checks_history=not is_one)
                if found is not None:
                    return Tried([found], left, [])
        finally:
            if is_slow:
                self._slow.release()
        self._report.flaky.append(merged.about)
        return Tried([], left, [])

    def _observe(self, plan: Plan | None, waits_longer: bool) -> Observation:
        return self._run(plan, lambda step, state: self._judge.is_settled(step, state, plan), waits_longer)

    def _confirmed(self, plan: Plan, *, checks_history: bool) -> Finding | None:
        """Confirm a violation: run the workload with the plan's faults again, and then without faults.

        Return a Finding if only the run with faults violates a rule, otherwise None. The run without faults is
        necessary because a busy machine can cause a violation too. It is left out if, since this method was called,
        another run has ended without a violation. With `checks_history`, a violation for which `_depends_on_history`
        returns True does not count.
        """
        began = monotonic()
        repeated = self._observe(plan, waits_longer=True)
        again = self._judge.verdicts(repeated, plan) if repeated.hits and not repeated.failure else []
        if not again or self._is_known(again):
            return None
        if checks_history and self._depends_on_history(plan, repeated, again):
            return None
        if again[0].oracle == "lost-update" and not self._keeps_annotations(plan):
            return None
        if self._right_at < began and self._judge.verdicts(self._observe(None, waits_longer=True)):
            return None
        return self._finding(plan, again, repeated)

    def _depends_on_history(self, plan: Plan, observed: Observation, verdicts: Sequence[Verdict]) -> bool:
        """Return True if the objects differ only because faults hid earlier states from the operator.

        That is no bug: an operator cannot, for example, count states that it did not see. To find out, run the plan's
        steps with an operator that is started only after the step with the differences. If this operator causes the
        same differences, return True. Return False for plans whose faults hide no states. `observed` is the run with
        the plan, and `verdicts` its violations.
        """
        if plan.pattern not in _HIDING or [one.oracle for one in verdicts] != ["end-state"]:
            return False
        step = observed.wrong_step
        assert step is not None
        changes = {"pattern": "restart", "disturbances": [Disturbance(after=START, until=step, stops=True)]}
        fresh = self._observe(plan.model_copy(update=changes), waits_longer=False)
        if step not in fresh.states:
            return False
        excused = {(one.key, one.path) for one in self._judge.references[step].differences(fresh.states[step])}
        found = self._judge.differences(observed, plan)
        return all((one.key, one.path) in excused for one in found)

    def _keeps_annotations(self, plan: Plan) -> bool:
        """Return True if the operator keeps annotations that another client set before the operator read the object.

        To find out, run the workload without the fault of `plan`, and annotate objects during the steps in which the
        fault was injected. If the operator removes these annotations too, it replaces whole objects on purpose. So the
        violation of `plan` is no lost update.
        """
        (disturbance,) = plan.disturbances
        match = (disturbance.fault or {}).get("match", {})
        resource = qualified(match["resources"][0], match["groups"][0])
        earlier = Disturbance(after=disturbance.after, until=disturbance.until, touches=[resource], races=True)
        control = self._observe(plan.model_copy(update={"disturbances": [earlier]}), waits_longer=False)
        return bool(control.hits) and not control.overwritten

    def _finding(self, plan: Plan, verdicts: Sequence[Verdict], observed: Observation) -> Finding | None:
        if self._is_known(verdicts):
            return None
        self._seen.add((verdicts[0].oracle, verdicts[0].objects))
        objects = [name for verdict in verdicts for name in verdict.objects]
        story = story_of(plan, verdicts, observed, self._judge.references)
        explanation = explained(plan, verdicts, observed)
        reached = max(len(observed.step_ends) - 2, 0)
        return Finding(plan.pattern, verdicts[0].oracle, "", objects, explanation, plan, story, reached)

    def _is_known(self, verdicts: Sequence[Verdict]) -> bool:
        """Return True if an earlier finding is about the rule and objects of the first violation in `verdicts`."""
        return (verdicts[0].oracle, verdicts[0].objects) in self._seen

    def _tried_inputs(self, plan: Plan) -> Tried:
        """Try a plan that changes custom resources after the workload.

        Return a finding if the run violates a rule, and a repeated run does so as well.
        """
        fresh = None if plan.returns else self._fresh(plan, lambda _: True, waits_longer=False)
        verdicts, observed = self._changed(plan, fresh, waits_longer=False)
        if not verdicts or self._is_known(verdicts):
            return Tried([], [], [])
        try:
            found = self._confirmed_inputs(plan, fresh, observed)
        except OutOfTime:
            self._note_unconfirmed(plan, verdicts)
            found = None
        return Tried([found] if found else [], [], [])

    def _confirmed_inputs(self, plan: Plan, fresh: State | None, observed: Observation) -> Finding | None:
        """Repeat a plan that changes custom resources. Return a finding if this run violates a rule as well.

        `fresh` has the final objects of an operator that is started only after the changes; it is None for a plan that
        reverts its changes. `observed` is the plan's first run.
        """
        if fresh is not None:
            # On a busy machine, the newly started operator may just have needed more time, so it gets a second chance.
            shown = observed.states.get(self._last(plan), {})
            fresh = self._fresh(plan, lambda state: not self._reference(state).differences(shown), waits_longer=True)
        verdicts, observed = self._changed(plan, fresh, waits_longer=True)
        if verdicts:
            return self._finding(plan, verdicts, observed)
        self._report.flaky.append(plan.about)
        return None

    def _last(self, plan: Plan) -> int:
        return len(self._hunt.workload) + len(plan.steps) - 1

    def _fresh(self, plan: Plan, is_right: Callable[[State], bool], waits_longer: bool) -> State | None:
        """Run the workload and the steps of `plan`, and start the operator only after the last step.

        Return the objects at the end; None if the run fails. The run waits until `is_right` returns True for these
        objects, longer if `waits_longer` is True.
        """
        last = self._last(plan)
        late = Disturbance(after=START, until=last, stops=True)
        late_plan = plan.model_copy(update={"disturbances": [late]})
        started = self._run(late_plan, lambda step, state: step < last or is_right(state), waits_longer)
        return None if started.failure or started.busy else started.states.get(last)

    def _changed(self, plan: Plan, fresh: State | None, waits_longer: bool) -> tuple[list[Verdict], Observation]:
        """Run the workload, then the plan's changes of custom resources, and compare the objects at the end.

        They must equal `fresh`, the final objects of an operator that is started only after the changes. For a plan
        that reverts its changes, `fresh` is None, and the objects must be as before the changes. Return the violated
        rules (at most one) and what was observed. If `waits_longer` is True, the run waits longer for these objects.
        """
        if fresh is None and not plan.returns:
            return [], Observation()
        count, last = len(self._hunt.workload), self._last(plan)
        seen: dict[int, State] = {}
        base_step = count if plan.steps[0].apply is not None else count - 1
        last_change = (base_step + last) // 2

        def differences(state: State) -> list[Difference]:
            seen[last] = state
            if fresh is None:
                found = without_history(self._reference(seen[base_step]).differences(state), state, seen[base_step])
                return [one for one in found if is_stuck(one, state, seen[last_change], seen[base_step])]
            found = without_history(self._reference(fresh).differences(state), state, fresh)
            return [one for one in found if is_due_to_change(one, seen, last, fresh)]

        def is_settled(step: int, state: State) -> bool:
            seen[step] = state
            if step < count:
                return self._judge.is_settled(step, state)
            return step < last or not differences(state)

        observed = self._run(plan, is_settled, waits_longer)
        if observed.failure:
            self._report.unhit.append(plan.about)
            self._report.coverage[plan.target].unhit += 1
            return [], observed
        mistakes = self._judge.panics(observed)
        if observed.busy or mistakes:
            if not plan.is_typed:
                return [], observed
            verdict = Verdict("livelock", (), (observed.busy,)) if observed.busy else Verdict("panic", (), (*mistakes,))
            return [verdict], observed
        found = [] if last not in observed.states else differences(observed.states[last])
        if not found or (plan.is_new and not self._responds(observed, base_step)):
            return [], observed
        objects = tuple(dict.fromkeys(f"{one.key[0]} {one.key[1]}" for one in found))
        instead = "before the changes" if plan.returns else "after a fresh start"
        lines = tuple(f"{one}".replace("without the fault", instead) for one in found)
        return [Verdict("end-state", objects, lines)], observed

    def _reference(self, state: State) -> Reference:
        """Return a Reference with which the objects of other runs are compared with the objects in `state`.

        As in other comparisons, fields that differ between the runs without faults, and generated names, do not count.
        """
        known = self._judge.references.values()
        reference = Reference(state)
        reference.masked = {one for each in known for one in each.masked}
        reference.chance = {one for each in known for one in each.chance}
        if reference.chance:
            reference.named = {one for each in known for one in each.named}
        return reference

    def _responds(self, observed: Observation, base_step: int) -> bool:
        """Return True if the operator wrote an object after step `base_step` of the run `observed`.

        Custom resources, Events and Leases do not count.
        """
        customs = {one.document["spec"]["names"]["plural"] for one in observed.changes if "Definition" in one.kind}
        since = observed.step_ends[base_step + 1]
        return any(_is_answer(one, customs) for one in observed.sent if one.seconds > since)


def _is_answer(request: Sent, customs: set[str]) -> bool:
    is_done = request.is_write and 0 < request.code < _REFUSED
    return is_done and request.resource.split("/")[0] not in {*customs, "events", "leases"}


def _expires_first_page(plan: Plan, observed: Observation) -> bool:
    """Return True if `plan` injects the error 410, and a list without a continue token got it in the run `observed`.

    A violation of such a run does not count as caused by `plan`, because kube-apiserver never answers a list without
    a continue token with 410.
    """
    effects: Sequence[Mapping[str, object]] = [(one.fault or {}).get("effect", {}) for one in plan.disturbances]
    if not any(effect.get("code") == _EXPIRED for effect in effects):
        return False
    return any(one.fault and one.code == _EXPIRED and one.verb == "list" and not one.is_page for one in observed.sent)


def _likeliest_first(hit: Sequence[Plan], wrong_step: int | None) -> list[Plan]:
    """Return the plans in `hit`, sorted by how probably each caused the violation of a run with all of them.

    `wrong_step` is the number of the first step after which the objects were wrong: plans that disturb a step near it
    come first. If it is None, the last plan of `hit` comes first.
    """
    newest_first = [*reversed(hit)]
    if wrong_step is None:
        return newest_first
    return sorted(newest_first, key=lambda plan: abs(wrong_step - (plan.at or 0)))


def _merged(plans: Sequence[Plan]) -> Plan:
    """Return one plan with the disturbances of all given plans."""
    if len(plans) == 1:
        return plans[0]
    disturbances = [one for plan in plans for one in plan.disturbances]
    about = "; ".join(plan.about for plan in plans)
    return plans[0].model_copy(update={"disturbances": disturbances, "about": about})
