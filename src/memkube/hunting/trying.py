"""Runs an operator's workload with planned faults, checks the results, and repeats runs that violate a rule."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from math import inf
from threading import Lock
from time import monotonic
from typing import Final, NamedTuple, Protocol

from memkube.hunting.changed_inputs import ChangedInputs
from memkube.hunting.description import Hunt
from memkube.hunting.end_state import State, places
from memkube.hunting.judging import Judge, Verdict
from memkube.hunting.plan import START, Disturbance, Plan
from memkube.hunting.report import Finding, HuntReport, explained
from memkube.hunting.run import Observation, OutOfTime, Patience, qualified
from memkube.hunting.story import story_of

_EXPIRED: Final = 410
_HIDING: Final = frozenset({"stale", "unobserved", "another-writer", "clock", "outage", "lease-lost", "restart"})
"""Patterns of plans in which the operator may not see states of objects that exist only for a short time."""
_SOON_SECONDS: Final = 10.0
"""Minimum delay in seconds of a retry, announced by an operator, that counts as slow.

Plans for slow operators are tried one at a time.
"""
_MOST_TRIES_AGAIN: Final = 3
"""How often a plan is tried again after a violation that did not recur, or that none of its faults has caused."""
_FIRST: Final = Patience()
_REPEATED: Final = Patience(confirms=True, waits_on=lambda _: True)


class RunPlan(Protocol):
    """Function that runs the workload with the disturbances of a plan, or without faults if the plan is None."""

    def __call__(self, plan: Plan | None, is_settled: Callable[[int, State], bool], patience: Patience) -> Observation:
        """Run the workload with the faults of `plan` (None: without faults), and return what was observed.

        After each step of the workload, wait until `is_settled` returns True. Its arguments are the number of the step
        and the objects that exist after it. `patience` decides for how long; the search sets its times.

        Raises OutOfTime if a run with faults would begin after the deadline of the search, or if a run is not finished
        at the deadline. Runs that confirm a violation or wait on may end after the deadline, and so may the runs of the
        plans that a search tries first. While the search shortens the workloads of its findings, no run may.
        """


class Tried(NamedTuple):
    """Result of one run with the faults of several plans: the bugs that were found, and the plans to try again."""

    findings: list[Finding]
    left: list[Plan]
    """Plans that disturb steps that the run did not reach, because it ended before."""
    later: list[Plan]
    """Plans to try again: the operator announced that it retries only after several seconds, or it violated a rule in
    the first run, but not in the second one, or before any fault had an effect."""


class _Suspicion(NamedTuple):
    """The violations in the first run of several plans, and the plans that may have caused them."""

    merged: Plan
    """The combination of the plans."""
    hit: list[Plan]
    """The plans that had an effect."""
    left: list[Plan]
    """The plans without an effect, because others had one and ended the run. They must be tried again."""
    verdicts: list[Verdict]
    observed: Observation
    """What was observed in the run. It still changes if the run waits on."""


class Trials:
    """Runs the workload with planned faults, and returns a Finding for each violation that a second run confirms.

    Plans whose faults had no effect, and violations that did not recur, are added to the report of the search. May be
    used from several threads.

    One of the two runs waits long enough for late retries of the operator. If possible, this is the first run, and the
    second one runs meanwhile.
    """

    def __init__(self, hunt: Hunt, judge: Judge, report: HuntReport, run: RunPlan, *, is_alone: bool) -> None:
        """Prepare to try plans of `hunt` with the function `run`.

        If `is_alone` is True, this function is never called while another run is in progress.
        """
        self._hunt = hunt
        self._judge = judge
        self._report = report
        self._run = run
        self._is_alone = is_alone
        self._seen: set[tuple[str, tuple[str, ...]]] = set()
        self._right_at = -inf
        """Time by ``time.monotonic`` at which the newest run without a violation ended."""
        self._returned: Counter[str] = Counter()
        """How often `_to_try_again` has returned each plan, by the plan's description."""
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

        def confirmation(so_far: Observation) -> Callable[[], Tried] | None:
            suspicion = self._suspicion(plans, merged, so_far)
            cause = self._cause(suspicion)
            if cause is None or self._is_known(suspicion.verdicts):
                return None
            return partial(self._confirmed_later, suspicion, cause)

        observed, confirmed = self._first_run(partial(self._observe, merged), confirmation)
        if confirmed is not None:
            return confirmed
        suspicion = self._suspicion(plans, merged, observed)
        if not suspicion.verdicts and not observed.failure:
            self._right_at = monotonic()
        later = self._to_try_again(plans) if suspicion.verdicts and not suspicion.hit else []
        for plan in plans:
            if plan not in suspicion.hit and plan not in suspicion.left and plan not in later:
                self._report.unhit.append(plan.about)
                self._report.coverage[plan.target].unhit += 1
        if not suspicion.verdicts or self._is_known(suspicion.verdicts) or not suspicion.hit:
            return Tried([], suspicion.left, later)
        return self._confirmed_later(suspicion)

    def _first_run(
        self,
        observe: Callable[[Patience], Observation],
        confirmation: Callable[[Observation], Callable[[], Tried] | None],
    ) -> tuple[Observation, Tried | None]:
        """Perform the first run of a plan with `observe`, and return what was observed.

        If objects differ, `confirmation` gets what was observed so far. The function that it returns confirms the
        violation while the first run waits on; its result is returned too. If it returns None, the run ends.
        """
        confirming: list[Future[Tried]] = []
        with ThreadPoolExecutor(1) as beside:

            def waits_on(so_far: Observation) -> bool:
                confirm = None if self._is_alone or confirming else confirmation(so_far)
                if confirm is None:
                    return False
                confirming.append(beside.submit(confirm))
                return True

            observed = observe(Patience(waits_on=waits_on, is_enough=lambda _: confirming[0].done()))
            return observed, confirming[0].result() if confirming else None

    def _suspicion(self, plans: Sequence[Plan], merged: Plan, observed: Observation) -> _Suspicion:
        """Return the violations in `observed`, the first run of `plans`, which `merged` combines."""
        verdicts = [] if observed.failure else self._judge.verdicts(observed, merged)
        owners = [plan for plan in plans for _ in plan.disturbances]
        hit = [plan for plan in plans if any(owners[number] is plan for number in observed.hit)]
        hit = [plan for plan in hit if not _expires_first_page(plan, observed)]
        left = [plan for plan in plans if plan not in hit] if verdicts and hit else []
        return _Suspicion(merged, hit, left, verdicts, observed)

    def _beside(self, plan: Plan, first: Observation) -> Patience:
        """Return the patience of a run that repeats a plan while the plan's first run waits on.

        The repeated run may end once the first one has waited for the longest time, if no other objects differ.
        """

        def is_enough(repeated: Observation) -> bool:
            if not first.has_waited:
                return False
            wrong, known = (self._judge.differences(one, plan) for one in (repeated, first))
            return places(wrong) <= places(known)

        return replace(_REPEATED, is_enough=is_enough)

    def _cause(self, suspicion: _Suspicion) -> Plan | None:
        """Return the plan without which the run would have had no violation, and the other plans no influence on it.

        If the run waits on, it waits as a run with this plan alone would. Return None if faults of other plans may
        delay the operator's retries as well. They cannot if they had no effect, or if they hit the operator in earlier
        steps than the plan: the objects were right after those steps, so the operator had recovered.
        """
        observed = suspicion.observed
        if not suspicion.verdicts or observed.busy or observed.retries_in > _SOON_SECONDS or not suspicion.hit:
            return None
        last = max(suspicion.hit, key=lambda plan: plan.at or 0)
        is_alone = len(suspicion.hit) == 1
        step = observed.wrong_step
        return last if is_alone or (step is not None and last.at is not None and last.at <= step) else None

    def _note_unconfirmed(self, plan: Plan, verdicts: Sequence[Verdict]) -> None:
        """Report the violations `verdicts` of a plan as unconfirmed, because there was no time to repeat the plan."""
        self._report.unconfirmed.append(f"{plan.about} ({verdicts[0].oracle}: {', '.join(verdicts[0].lines[:3])})")

    def _confirmed_later(self, suspicion: _Suspicion, waiting: Plan | None = None) -> Tried:
        """Find the plan that caused the violations of a run with the faults of several plans.

        For this, repeat the plans that had an effect one by one. If the first run is still waiting, `waiting` is the
        plan that caused this (see `_cause`).
        """
        merged, hit, left, verdicts, observed = suspicion
        is_one = len(hit) == 1
        is_slow = observed.retries_in > _SOON_SECONDS
        try:
            if is_one and self._depends_on_history(hit[0], observed, verdicts):
                return Tried([], left, [])
            if is_slow and not self._slow.acquire(blocking=False):
                return Tried([], left, hit)
            try:
                for plan in _likeliest_first(hit, observed.wrong_step):
                    patience = self._beside(plan, observed) if plan is waiting else _REPEATED
                    found = self._confirmed(plan, patience, checks_history=not is_one)
                    if found is not None:
                        return Tried([found], left, [])
            finally:
                if is_slow:
                    self._slow.release()
        except OutOfTime:
            self._note_unconfirmed(merged, verdicts)
            return Tried([], left, [])
        has_recovered = waiting is not None and not self._judge.verdicts(observed, merged)
        return Tried([], left, [] if has_recovered else self._flaky(merged, hit))

    def _flaky(self, merged: Plan, hit: Sequence[Plan]) -> list[Plan]:
        """Report a violation that did not recur. Return those of the plans `hit` that must be tried again.

        Many bugs are races, which the faults make only more probable. `merged` is the combination of the plans.
        """
        if merged.about not in self._report.flaky:
            self._report.flaky.append(merged.about)
        return self._to_try_again(hit)

    def _to_try_again(self, plans: Sequence[Plan]) -> list[Plan]:
        """Return those of `plans` that this method has returned fewer than `_MOST_TRIES_AGAIN` times."""
        again = [plan for plan in plans if self._returned[plan.about] < _MOST_TRIES_AGAIN]
        self._returned.update(plan.about for plan in again)
        return again

    def _observe(self, plan: Plan | None, patience: Patience) -> Observation:
        return self._run(plan, self._judge.settling(plan), patience)

    def _confirmed(self, plan: Plan, patience: Patience, *, checks_history: bool) -> Finding | None:
        """Confirm a violation: run the workload with the plan's faults again, and then without faults.

        Return a Finding if only the run with faults violates a rule, otherwise None. `patience` is that of the run with
        faults. The run without faults is necessary because a busy machine can cause a violation too. It is left out if,
        since this method was called, another run has ended without a violation. With `checks_history`, a violation for
        which `_depends_on_history` returns True does not count.
        """
        began = monotonic()
        repeated = self._observe(plan, patience)
        again = self._judge.verdicts(repeated, plan) if repeated.hits and not repeated.failure else []
        if not again or self._is_known(again):
            return None
        if checks_history and self._depends_on_history(plan, repeated, again):
            return None
        if again[0].oracle == "lost-update" and not self._keeps_annotations(plan):
            return None
        if self._right_at < began and self._judge.verdicts(self._observe(None, _REPEATED)):
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
        if step is None:
            return False  # The run is still waiting, and the objects have become right meanwhile.
        changes = {"pattern": "restart", "disturbances": [Disturbance(after=START, until=step, stops=True)]}
        fresh = self._observe(plan.model_copy(update=changes), _FIRST)
        if step not in fresh.states:
            return False
        excused = places(self._judge.references[step].differences(fresh.states[step]))
        found = places(self._judge.differences(observed, plan))
        return bool(found) and found <= excused

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
        control = self._observe(plan.model_copy(update={"disturbances": [earlier]}), _FIRST)
        return bool(control.hits) and not control.overwritten

    def _finding(self, plan: Plan, verdicts: Sequence[Verdict], observed: Observation) -> Finding | None:
        if self._is_known(verdicts):
            return None
        self._seen.add((verdicts[0].oracle, verdicts[0].objects))
        self._report.flaky = [one for one in self._report.flaky if plan.about not in one.split("; ")]
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
        fresh = None if plan.returns else self._fresh(plan, lambda _: True, _FIRST)
        if fresh is None and not plan.returns:
            return Tried([], [], [])
        comparison = self._comparison(plan, fresh)

        def confirmation(so_far: Observation) -> Callable[[], Tried] | None:
            verdicts = comparison.verdicts(so_far)
            if not verdicts or so_far.busy or self._is_known(verdicts):
                return None
            return partial(self._confirmed_inputs, plan, comparison, so_far)

        observed, confirmed = self._first_run(partial(self._changed, plan, comparison), confirmation)
        if confirmed is not None:
            return confirmed
        verdicts = comparison.verdicts(observed)
        if not verdicts or self._is_known(verdicts):
            return Tried([], [], [])
        return self._confirmed_inputs(plan, comparison, observed)

    def _confirmed_inputs(self, plan: Plan, first: ChangedInputs, observed: Observation) -> Tried:
        """Repeat a plan that changes custom resources. Return a finding if this run violates a rule as well.

        `observed` is the plan's first run, whose objects `first` compares. If it is still waiting, the repeated run
        may end once it has waited for the longest time, if no other objects differ.
        """
        fresh, verdicts = first.fresh, first.verdicts(observed)
        try:
            if fresh is not None:
                # On a busy machine, the newly started operator may just have needed more time, so it gets a second
                # chance.
                shown = observed.states.get(first.last, {})
                fresh = self._fresh(plan, lambda state: not first.reference(state).differences(shown), _REPEATED)
            if fresh is None and not plan.returns:
                return Tried([], [], [])
            comparison = self._comparison(plan, fresh)

            def is_enough(repeated: Observation) -> bool:
                if not observed.has_waited:
                    return False
                return places(comparison.differences(repeated)) <= places(first.differences(observed))

            repeated = self._changed(plan, comparison, replace(_REPEATED, is_enough=is_enough))
        except OutOfTime:
            self._note_unconfirmed(plan, verdicts)
            return Tried([], [], [])
        again = comparison.verdicts(repeated)
        if not again:
            return Tried([], [], self._flaky(plan, [plan]))
        found = self._finding(plan, again, repeated)
        return Tried([found] if found else [], [], [])

    def _comparison(self, plan: Plan, fresh: State | None) -> ChangedInputs:
        return ChangedInputs(len(self._hunt.workload), self._judge, plan, fresh)

    def _fresh(self, plan: Plan, is_right: Callable[[State], bool], patience: Patience) -> State | None:
        """Run the workload and the steps of `plan`, and start the operator only after the last step.

        Return the objects at the end; None if the run fails. The run waits until `is_right` returns True for these
        objects, for as long as `patience` allows.
        """
        last = len(self._hunt.workload) + len(plan.steps) - 1
        late = Disturbance(after=START, until=last, stops=True)
        late_plan = plan.model_copy(update={"disturbances": [late]})
        started = self._run(late_plan, lambda step, state: step < last or is_right(state), patience)
        return None if started.failure or started.busy else started.states.get(last)

    def _changed(self, plan: Plan, comparison: ChangedInputs, patience: Patience) -> Observation:
        """Run the workload, then the plan's changes of custom resources, and return what was observed."""
        observed = self._run(plan, comparison.is_settled, patience)
        if observed.failure:
            self._report.unhit.append(plan.about)
            self._report.coverage[plan.target].unhit += 1
        return observed


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
