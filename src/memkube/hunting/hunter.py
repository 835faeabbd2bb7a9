"""Searches for bugs in an operator: runs the workload first without faults, then once for each plan of faults."""

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from math import inf
from pathlib import Path
from random import SystemRandom
from time import monotonic
from types import FrameType
from typing import Any, Final, NamedTuple, TypeAlias

import yaml
from pydantic import ValidationError

from memkube.errors import UsageError
from memkube.hunting.bytecode import kept_bytecode
from memkube.hunting.description import AnyHunt, Hunt, read_hunt
from memkube.hunting.end_state import State
from memkube.hunting.history import CompiledInvariant
from memkube.hunting.judging import Judge
from memkube.hunting.plan import Plan
from memkube.hunting.planning import SHARES, Planner
from memkube.hunting.report import Coverage, Finding, HuntReport
from memkube.hunting.run import Interrupted, Observation, OutOfTime, Patience, Run
from memkube.hunting.shortening import reduced, shorter_findings
from memkube.hunting.trying import Trials, Tried

Progress: TypeAlias = Callable[[int, int, int], None]
"""Function that is called after each plan was tried, with the number of tried plans, remaining plans and findings."""
PATTERNS: Final = tuple(SHARES)
_UNDISTURBED: Final = 3
_EARLIER_WRITES: Final = 7
"""Difference between the resource versions at the start of one run without faults and of the next one."""
_MAX_WAIT_SECONDS: Final = 5.0
"""Maximum number of seconds after a step until the objects must equal those of the runs without faults.

A plan with which they take longer is run a second time.
"""
_CONFIRMING_MAX_WAIT_SECONDS: Final = 32.0
"""Maximum number of seconds for which one of the runs of a plan waits before a violation is reported.

It is longer than `_MAX_WAIT_SECONDS`, because operators retry with growing delays.
"""
_MOST_RESTING: Final = 4
"""Maximum number of plans for which no other plan waits while their runs only wait for late retries of the operator.

Such runs use hardly any CPU time, but memory for their clusters and operators.
"""
_RECHECK_SECONDS: Final = 0.2
"""Time between two checks whether runs only wait, so that another plan can be tried."""
_SHORTEST_QUIET: Final = 0.25


class _Limits(NamedTuple):
    """Limits of a search for bugs: its deadline, and the maximum number of findings.

    `deadline` is a time by ``time.monotonic``. No run with faults begins after it.
    """

    deadline: float
    findings: int
    is_strict: bool = False
    """True if no run begins or continues after the deadline, not even to repeat a violation."""


class NoReference(UsageError):
    """Raised if runs with faults cannot be compared with the runs without faults.

    This is so if the runs without faults fail, violate an invariant, end without objects, or differ from each other in
    all objects of the operator.
    """


def hunt(  # noqa: PLR0913  keyword arguments with defaults
    hunt: "AnyHunt | None" = None,
    *,
    replay: str | os.PathLike[str] | None = None,
    budget: float = 600.0,
    jobs: int | None = None,
    seed: int | None = None,
    patterns: Sequence[str] = (),
    report: str | os.PathLike[str] | None = None,
    max_findings: int = 5,
    shorten: bool = True,
    on_progress: Progress = lambda _, __, ___: None,
) -> HuntReport:
    """Search for bugs in an operator for `budget` seconds, and return the report.

    ::

        report = memkube.hunt("hunt.yaml", budget=120)
        assert not report.findings, report.findings[0].explanation

    `hunt` is the path of a description, or its content as a dictionary. `replay` is the file of an earlier finding,
    whose plan is tried alone; the file names the hunt. `jobs` is the number of runs at the same time, by default one
    more than there are processors; unless it is 1, runs that only wait for late retries of the operator do not count.
    `seed` decides the order of plans with the same priority. `patterns` are the patterns of plans to try, all by
    default. The report and its findings are written to the folder `report`. `on_progress` is called after each plan,
    with the numbers of tried plans, remaining plans and findings.

    The search stops early when all plans are tried, or when there are `max_findings` findings. The remaining time is
    used to shorten the plans of the findings: steps of the workload that a finding does not need are left out of its
    plan. This is not done if `shorten` is False, or if `replay` is given without `report`.

    The hunt ends after `budget` seconds. The first runs with faults, and runs that repeat a violation, may end later;
    a run without faults may follow them. The report lists the plans that were not tried or not repeated.

    Raises UsageError if the description is not valid, for an unknown pattern, and if `replay` cannot be read. Raises it
    also if the runs without faults fail, violate an invariant, end without objects, or differ in all objects of the
    operator.
    """
    unknown = [name for name in patterns if name not in PATTERNS]
    if unknown:
        raise UsageError(f"unknown pattern {unknown[0]!r}: choose from {', '.join(PATTERNS)}")
    plans: list[Plan] | None = None
    file = Path(hunt) if isinstance(hunt, str | os.PathLike) else None
    if replay is not None:
        file, plan = _read_replay(Path(replay), file)
        plans, hunt = [plan], file
    if hunt is None:
        raise UsageError("give either the description of a hunt, or the file of a finding as `replay`")
    chosen = SystemRandom().randrange(2**32) if seed is None else seed
    limits = _Limits(monotonic() + budget, max_findings)
    with _until_terminated(), kept_bytecode(read_hunt(hunt)) as described:
        known = described if plans is None else reduced(described, plans[0])
        hunter = _Hunter(known, chosen, jobs or (os.cpu_count() or 1) + 1, limits, on_progress)
        found = hunter.hunt(plans, patterns)
        if shorten and (replay is None or report is not None):
            hunter.shorten(described)
    if report is not None:
        found.write(Path(report), file)
    return found


class _Hunter:
    def __init__(self, hunt: Hunt, seed: int, jobs: int, limits: _Limits, on_progress: Progress) -> None:
        self._hunt = hunt
        self._jobs = max(jobs, 1)
        self._limits = limits
        self._on_progress = on_progress
        self._invariants = [CompiledInvariant(one) for one in hunt.invariants]
        self._report = HuntReport(seed)
        self._quiet = hunt.quiet_seconds
        self._interrupted = threading.Event()
        self._resting = 0
        """Number of plans whose runs only wait for late retries of the operator."""
        self._lock = threading.Lock()
        """Held while `_resting` is changed."""
        self._has_tried = False
        """True once a run with faults has ended."""

    def hunt(self, plans: list[Plan] | None, patterns: Sequence[str]) -> HuntReport:
        """Run the workload without faults, then once for each plan of faults, and return the report.

        If `plans` is None, makes plans that disturb the requests that the operator sent in the runs without faults. If
        `patterns` is not empty, only plans of these patterns are made.
        """
        began, report = monotonic(), self._report
        with ThreadPoolExecutor(self._jobs) as learning, ThreadPoolExecutor(self._jobs + _MOST_RESTING) as pool:
            try:
                undisturbed = list(learning.map(self._undisturbed, range(_UNDISTURBED)))
                judge = self._judge(undisturbed)
                self._learn_max_wait(undisturbed)
                if plans is None:
                    plans = Planner(self._hunt, undisturbed[0], patterns, report.seed).plans()
                self._try_all(pool, judge, plans)
            except KeyboardInterrupt:
                # Setting this event ends the runs that are in progress. Each run then kills its operator processes.
                self._interrupted.set()
                report.interrupted = True
                report.untried = len(plans or ()) - report.plans
        report.seconds = round(monotonic() - began, 2)
        return report

    def shorten(self, whole: Hunt) -> None:
        """Search for plans with fewer steps that still produce the findings, until the time for the hunt is over.

        `whole` is the hunt with all steps of the workload. Findings whose runs had the fewest steps come first.
        """
        began, report = monotonic(), self._report
        limits = _Limits(self._limits.deadline, 1, is_strict=True)

        def find_again(plan: Plan) -> list[Finding]:
            if report.interrupted or monotonic() > limits.deadline:
                raise OutOfTime
            hunter = _Hunter(reduced(whole, plan), report.seed, self._jobs, limits, lambda _, __, ___: None)
            try:
                return hunter.hunt([plan], ()).findings
            finally:
                report.runs += hunter._report.runs
                report.interrupted = hunter._report.interrupted

        for number in sorted(range(len(report.findings)), key=lambda number: report.findings[number].reached):
            try:
                for shorter in shorter_findings(report.findings[number], len(whole.workload), find_again):
                    report.findings[number] = shorter
            except OutOfTime:
                report.unshortened.append(report.findings[number].details.about)
            except KeyboardInterrupt:
                report.interrupted = True
        report.seconds = round(report.seconds + monotonic() - began, 2)

    def _judge(self, undisturbed: list[Observation]) -> Judge:
        for observed in undisturbed:
            if observed.failure or observed.busy:
                why = observed.failure or observed.busy
                raise NoReference(f"the run without faults fails: {why}\n{observed.last_output[-2000:]}")
            if observed.violated:
                name, change = next(iter(observed.violated.items()))
                raise NoReference(f"the run without faults violates the invariant {name!r} after: {change}")
        judge = Judge(undisturbed)
        references = judge.references.values()
        fields = {f"{kind}: {'.'.join(path)}" for one in references for kind, path in one.masked}
        objects = {f"{kind} {name}" for one in references for kind, name in one.unstable}
        self._report.masked = [*sorted(fields), *sorted(objects)]
        self._report.variations = judge.variations
        if judge.compares_nothing({name for one in undisturbed for name in one.created}):
            shown = "\n".join(f"  {line}" for line in judge.variations)
            raise NoReference(
                "the runs without faults differ in all objects that the operator creates, so that no run can be "
                f"compared with them:\n{shown}"
            )
        if not any(one.state for one in references):
            raise NoReference("no object exists after the run without faults: the workload has no effect")
        return judge

    def _learn_max_wait(self, undisturbed: list[Observation]) -> None:
        """Derive two waiting times of later runs from `undisturbed`, the runs without faults.

        The first is the time without changes after which the operator counts as finished with a step. It follows from
        the longest pause between two changes. The second is the maximum time until the objects must be as expected. It
        follows from the duration of the operator's Lease.
        """
        gap = max(one.longest_gap for one in undisturbed)
        self._quiet = min(self._hunt.quiet_seconds, max(_SHORTEST_QUIET, 4 * gap))
        lease = max(one.lease_seconds for one in undisturbed)
        self._max_wait = _MAX_WAIT_SECONDS + 2 * lease
        self._confirming_max_wait = _CONFIRMING_MAX_WAIT_SECONDS + 3 * lease

    def _undisturbed(self, number: int) -> Observation:
        """Run the workload without faults. Runs with different numbers have different resource versions.

        So fields to which an operator copies resource versions differ between these runs, and are not compared.
        """
        self._report.runs += 1
        deadline = self._limits.deadline if self._limits.is_strict else inf
        run = Run(self._hunt, self._invariants, self._hunt.quiet_seconds, None, self._interrupted, deadline)
        return run.observe(earlier_writes=number * _EARLIER_WRITES)

    def _run(self, plan: Plan | None, is_settled: Callable[[int, State], bool], patience: Patience) -> Observation:
        # A run without faults (`plan` is None) may begin after the deadline: it is needed to confirm a violation that
        # was found before the deadline. If the deadline is strict, no run may begin after it.
        is_strict = self._limits.is_strict
        if (plan is not None or is_strict) and monotonic() > self._limits.deadline:
            raise OutOfTime
        self._report.runs += 1
        # Three kinds of runs may end after the deadline: a run that repeats a violation, and a run that waits on
        # meanwhile, because otherwise the finding would be lost; and the first runs with faults, so that even a very
        # short search tries at least one plan.
        is_finished = patience.confirms or not self._has_tried
        deadline = inf if is_finished and not is_strict else self._limits.deadline
        run = Run(self._hunt, self._invariants, self._quiet, plan, self._interrupted, deadline)
        with ExitStack() as resting:

            def waits_on(observed: Observation) -> bool:
                if not patience.waits_on(observed):
                    return False
                if patience.confirms:
                    resting.enter_context(self._rested())
                if not is_strict:
                    run.deadline = inf
                return True

            waits = replace(patience, seconds=self._max_wait, longest=self._confirming_max_wait, waits_on=waits_on)
            return run.observe(is_settled, waits)

    @contextmanager
    def _rested(self) -> Iterator[None]:
        """Let another plan be tried during the block, in which the runs of one plan only wait."""
        with self._lock:
            self._resting += 1
        try:
            yield
        finally:
            with self._lock:
                self._resting -= 1

    @property
    def _free(self) -> int:
        """Number of plans that may be tried at the same time.

        If it is 1, perhaps only one process of the operator can run at a time. So runs that only wait count as well.
        """
        return self._jobs if self._jobs == 1 else self._jobs + min(self._resting, _MOST_RESTING)

    def _try_all(self, pool: ThreadPoolExecutor, judge: Judge, plans: list[Plan]) -> None:
        report, waiting = self._report, list(plans)
        trials = Trials(self._hunt, judge, report, self._run, is_alone=self._jobs == 1)
        for plan in plans:
            report.coverage.setdefault(plan.target, Coverage()).untried += 1
        running: dict[Future[Tried], list[Plan]] = {}
        while waiting or running:
            while waiting and len(running) < self._free and self._has_time:
                together = _together(waiting)
                running[pool.submit(trials.tried, together)] = together
            if not running:
                break
            done, _ = wait(running, _RECHECK_SECONDS, FIRST_COMPLETED)
            for future in done:
                tried = running.pop(future)
                try:
                    findings, left, later = future.result()
                except Interrupted:
                    waiting += tried
                    continue
                self._has_tried = True
                self._note([plan for plan in tried if plan not in left and plan not in later])
                report.findings += findings[: self._limits.findings - len(report.findings)]
                waiting = [*left, *waiting, *later]
            if len(report.findings) >= self._limits.findings:
                # The report has the maximum number of findings, so interrupt the runs that are still in progress.
                self._interrupted.set()
            if done:
                self._on_progress(report.plans, len(waiting), len(report.findings))
        report.untried = len(waiting)
        report.variations = judge.variations

    def _note(self, plans: Sequence[Plan]) -> None:
        """Record in the report that `plans` were tried, for each request, watch or step that they disturb."""
        for plan in plans:
            coverage = self._report.coverage[plan.target]
            coverage.untried -= 1
            coverage.tried += 1
            self._report.plans += 1

    @property
    def _has_time(self) -> bool:
        return monotonic() < self._limits.deadline and len(self._report.findings) < self._limits.findings


@contextmanager
def _until_terminated() -> Iterator[None]:
    """Handle SIGTERM like Ctrl-C during the block, so that the operators are killed before the process ends.

    After a SIGTERM, the process ends when the block is left. If the program has its own handler for SIGTERM, or if the
    block does not run in the main thread, do nothing.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    terminated = threading.Event()

    def terminate(number: int, frame: FrameType | None) -> None:
        terminated.set()
        signal.default_int_handler(number, frame)

    signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if terminated.is_set():
            os.kill(os.getpid(), signal.SIGTERM)


def _together(waiting: list[Plan]) -> list[Plan]:
    """Take the next plans for one run out of `waiting`, and return them.

    If the first plan disturbs several steps, it is the only one. Otherwise, later plans that disturb a single step are
    added, as long as no two plans of the run disturb the same step.
    """
    chosen = [waiting.pop(0)]
    if chosen[0].at is None:
        return chosen
    for plan in waiting:
        if plan.at is not None and all(plan.at != one.at for one in chosen):
            chosen.append(plan)
    for plan in chosen[1:]:
        waiting.remove(plan)
    return chosen


def _read_replay(path: Path, hunt: Path | None) -> tuple[Path, Plan]:
    """Return the path of the hunt's description, and the plan of faults, from the file of a finding.

    A relative path in the file starts from the file's folder. If `hunt` is given, it is returned instead of the path in
    the file. Raises UsageError if the file cannot be read or contains no valid plan.
    """
    try:
        content: Any = yaml.safe_load(path.read_text())
        plan = Plan.model_validate(content["plan"])
        found = hunt or path.parent / content["hunt"]
    except OSError as error:
        raise UsageError(f"cannot read the file of a finding {path}: {error.strerror}") from None
    except (yaml.YAMLError, ValidationError, KeyError, TypeError) as error:
        raise UsageError(
            f"{path} does not contain the plan of a finding: {' '.join(str(error).split())[:200]}"
        ) from None
    return found, plan.model_copy(update={"target": plan.about})
