"""Plays a scenario on a new server or on a running one, and reports the result."""

import contextlib
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO, Final, TypeAlias

from memkube.cluster.synchronous import Memkube, running_of
from memkube.control.scenario_runs import (
    Occasion,
    PlannedStep,
    PlayResult,
    PreparedScenario,
    ScenarioPlan,
    ScenarioPlaying,
    ScenarioRun,
)
from memkube.errors import MemkubeError, UsageError
from memkube.scenarios.actions import Change, located, remove_fault
from memkube.scenarios.record import Record
from memkube.scenarios.scenario import AnyScenario, ClusterShape, Scenario, Step, read_scenario
from memkube.scenarios.timeline import Occurrence, timeline
from memkube.time.clock import SteppedClock

Progress: TypeAlias = Callable[[datetime, str], None]
"""Function that is called with the time of the server's clock, and with a description of the step that happens then.
The description is empty if the clock only advances."""
_PATIENCE_SECONDS: Final = 24 * 3600.0
"""Maximum duration of one call to the server, in seconds of real time.

The controllers of a large cluster may need minutes for the objects of a scenario on a slow machine.
"""
_PAUSE_SECONDS: Final = 0.1
"""Seconds of real time between two steps of the clock, if a scenario is played at a speed."""


@dataclass(slots=True)
class Report:
    """The result of a played scenario: failures, Events, pods and changes of objects."""

    name: str
    seed: int | None
    """Seed of random values; None if the scenario was played on a server that ran already."""
    started: datetime
    """Time of the server's clock at the start."""
    ended: datetime
    steps: int = 0
    """Number of steps that happened, each repetition counted."""
    failures: list[str] = field(default_factory=list)
    """One line for each expectation that was not met, and for each step that was refused."""
    events: dict[str, int] = field(default_factory=dict)
    """Number of Events by reason, the most frequent first."""
    pods: dict[str, int] = field(default_factory=dict)
    """Number of pods by phase, at the end of the scenario."""
    changes: int = 0
    """Number of changes of all objects, each creation, update and deletion counted."""
    digest: str = ""
    """SHA-256 of the event log, which is equal for two runs with equal logs."""
    stopped: bool = False
    """True if a user stopped the scenario before its end."""
    ignored: list[str] = field(default_factory=list)
    """Fields of the scenario without effect, because they are options of a new server, and it was played on another."""

    @property
    def passed(self) -> bool:
        """True if the scenario was played to its end, no expectation failed and no step was refused."""
        return not self.failures and not self.stopped

    def to_document(self) -> dict[str, Any]:
        """Return the report as JSON data."""
        times = {"started": self.started.isoformat(), "ended": self.ended.isoformat()}
        return {**asdict(self), **times, "passed": self.passed}


def play(
    scenario: AnyScenario,
    *,
    on: Memkube | None = None,
    speed: float | None = None,
    seed: int | None = None,
    events: str | os.PathLike[str] | None = None,
    on_progress: Progress = lambda _, __: None,
) -> Report:
    """Play a scenario on a new server, or on a running one, and return the report. The scenario advances the clock.

    ::

        report = memkube.play("night.yaml", seed=7)
        assert report.passed, report.failures

    The scenario is the path of a file, or its content as a dictionary. `on` is a running cluster, whose clock must be
    ``stepped``. The scenario then begins at the present time, and its fields `cluster` and `seed` have no effect.
    `speed` is the number of seconds of the clock per second of real time, by default as many as possible. `seed`
    replaces the seed of the scenario; `events` is the path of a file for the event log. Two runs with the same
    scenario, seed and version of memkube write equal event logs. The web page of the server shows the scenario while it
    is played. `on_progress` is called with the clock's time, and with a description of the step that happens then;
    empty if the clock only advances.

    Raises UsageError if the scenario or the speed is not valid. With `on`, raises it also if `seed` is given, if the
    clock of `on` is not stepped, or if `on` is playing another scenario. Raises OSError if the file `events` cannot be
    opened.
    """
    read = read_scenario(scenario)
    if speed is not None and speed <= 0:
        raise UsageError(f"speed must be greater than 0, not {speed:g}")
    if on is not None:
        if seed is not None:
            raise UsageError("seed: a running server has its own random values, so give the seed to the server")
        with _opened(events) as file:
            return _begin_and_play(_Player(read, on, speed, is_new=False, file=file, on_progress=on_progress))
    if seed is not None:
        read = read.model_copy(update={"seed": seed})
    timeline(read)
    shape = read.cluster
    kube = Memkube(
        nodes=shape.nodes,
        zones=shape.zones,
        node_pools=shape.nodePools,
        clock="stepped",
        start=shape.start,
        seed=read.seed,
        controllers=shape.controllers,
        admission=shape.admission,
    )
    with _opened(events) as file, kube:
        return _begin_and_play(_Player(read, kube, speed, is_new=True, file=file, on_progress=on_progress))


def prepare(scenario: Scenario, kube: Memkube, *, speed: float | None) -> PreparedScenario:
    """Prepare a scenario for the running cluster `kube`; the returned object plays it. `speed` is as for :func:`play`.

    Raises UsageError if a step is in the past, or if the cluster's clock is not stepped.
    """
    player = _Player(scenario, kube, speed, is_new=False)
    return PreparedScenario(player.plan, player.play)


class _Player:
    """Plays one scenario on a running server.

    Raises UsageError if the time of a step is before the start of the scenario, or if the server's clock is not
    ``stepped``.
    """

    def __init__(
        self,
        scenario: Scenario,
        kube: Memkube,
        speed: float | None,
        *,
        is_new: bool,
        file: BinaryIO | None = None,
        on_progress: Progress = lambda _, __: None,
    ) -> None:
        self.running = running_of(kube)
        if not isinstance(self.running.server.registry.clock, SteppedClock):
            raise UsageError(
                "a scenario advances the clock, so the clock must be stepped: use Memkube(clock='stepped')"
            )
        ignored = [] if is_new else _options_of_a_server(scenario)
        if not is_new:
            shape = scenario.cluster.model_copy(update={"start": kube.clock.now()})
            scenario = scenario.model_copy(update={"cluster": shape})
        self._scenario = scenario
        self._kube = kube
        self._speed = speed
        self._file = file
        self._on_progress = on_progress
        self._occurrences = timeline(scenario)
        start = scenario.cluster.start
        self.plan = plan_of(scenario, self._occurrences, ignored)
        self._report = Report(scenario.name, scenario.seed if is_new else None, start, start, ignored=ignored)

    def play(self, run: ScenarioRun) -> Report:
        """Play the scenario, record in `run` what has happened, and return the report at the end."""
        report, registry = self._report, self.running.server.registry
        self._run = run
        report.failures = run.failures
        self._record = Record(registry, self._file, lambda now: self._on_progress(now, ""), lambda: run.is_stopping)
        result = None
        try:
            self._play()
            result = self._finish()
        except MemkubeError as error:
            report.failures.append(str(error))
        except BaseException as error:
            report.failures.append(f"the scenario was broken off: {' '.join(repr(error).split())}")
            raise
        finally:
            run.end(report.ended, result)
        return report

    def _play(self) -> None:
        scenario = self._scenario
        try:
            if scenario.setup is not None:
                self._kube.apply(located(scenario.setup, scenario.folder), timeout=_PATIENCE_SECONDS)
            for occurrence in self._occurrences:
                self._advance(occurrence.instant)
                if self._run.is_stopping:
                    return
                self._happen(occurrence)
                self.plan.steps[occurrence.number].happened += 1
            self._advance(self.plan.end)
            for number, expectation in enumerate(() if self._run.is_stopping else scenario.expect):
                self._run.failures += [f"expect[{number}]: {line}" for line in expectation.failures(self._kube)]
        except MemkubeError as error:
            self._run.failures.append(str(error))

    def _advance(self, instant: datetime) -> None:
        """Move the clock to a time, and record all changes of objects until then.

        If a speed is set, the clock moves in short steps, with pauses in which other clients can advance it too.
        """
        while not self._run.is_stopping:
            began, left = monotonic(), max((instant - self._kube.clock.now()).total_seconds(), 0.0)
            seconds = left if self._speed is None else min(left, self._speed * _PAUSE_SECONDS)
            work = self.running.controls.advance(seconds, self._record)
            self.running.result(self.running.submit(work), _PATIENCE_SECONDS)
            if self._speed is not None:
                self._run.pause(max(seconds / self._speed - (monotonic() - began), 0.0))
            if seconds == left:
                return

    def _happen(self, occurrence: Occurrence) -> None:
        """Perform or undo the action of the step in `occurrence`, or check the step's expectation.

        Raises MemkubeError for a refusal that the step does not expect.
        """
        step = occurrence.step
        where = f"steps[{occurrence.number}] at {occurrence.instant:%Y-%m-%dT%H:%M:%SZ}, {step}"
        self._on_progress(occurrence.instant, str(step))
        self._report.steps += occurrence.is_begin
        try:
            if step.expect is not None:
                wrong = [line for one in step.expect for line in one.failures(self._kube)]
                self._report.failures += [f"{where}: {line}" for line in wrong]
                return
            action = action_of(step, self._scenario.folder)
            if not occurrence.is_begin:
                action.undo(self._kube)
                return
            action.perform(self._kube)
        except MemkubeError as error:
            if step.refused is None or step.refused not in str(error):
                raise MemkubeError(f"{where}: {error}") from None
            return
        if step.refused is not None:
            self._report.failures.append(f"{where}: expected a refusal with {step.refused!r}, but it succeeded")

    def _finish(self) -> PlayResult:
        """Complete the report: end time, number of Events by reason, number of changes, and number of pods by phase."""
        report, record = self._report, self._record
        self.running.result(self.running.submit(record.is_met()), _PATIENCE_SECONDS)
        report.ended, report.stopped = self._kube.clock.now(), self._run.is_stopping
        report.events = dict(sorted(record.reasons.items(), key=lambda one: (-one[1], one[0])))
        phases = Counter(str(pod["status"].get("phase")) for pod in self._kube.objects("pods"))
        report.pods = dict(sorted(phases.items()))
        report.changes, report.digest = record.changes, record.digest
        return PlayResult(report.steps, report.events, report.pods, report.changes, report.digest)


def _begin_and_play(player: _Player) -> Report:
    """Play the scenario of `player` in the calling thread, and return the report.

    Raises UsageError if the server is already playing a scenario.
    """
    try:
        run = player.running.server.parts.scenarios.begin(player.plan)
    except ScenarioPlaying as error:
        raise UsageError(str(error)) from None
    return player.play(run)


def plan_of(scenario: Scenario, occurrences: Sequence[Occurrence], ignored: Sequence[str]) -> ScenarioPlan:
    """Return the steps of a scenario and the times at which they happen, as the control API shows them.

    `occurrences` has these times: one item for each begin or end of a step's action. `ignored` has the names of fields
    of the scenario that have no effect.
    """
    occasions: list[list[Occasion]] = [[] for _ in scenario.steps]
    for occurrence in occurrences:
        occasions[occurrence.number].append(Occasion(occurrence.instant, occurrence.is_begin))
    steps = [
        PlannedStep(str(step), step.action, step.details(), found)
        for step, found in zip(scenario.steps, occasions, strict=True)
    ]
    start = scenario.cluster.start
    return ScenarioPlan(scenario.name, start, scenario.until.after(start), steps, ignored)


def _options_of_a_server(scenario: Scenario) -> list[str]:
    """Return the fields of a scenario that have an effect only on a new server, such as its seed."""
    given = [name for name in ClusterShape.model_fields if name in scenario.cluster.model_fields_set]
    return [*(f"cluster.{name}" for name in given), *(["seed"] if "seed" in scenario.model_fields_set else [])]


def action_of(step: Step, folder: Path) -> Any:
    """Return the action of a step: an object with a method `perform`, and `undo` if it can be undone.

    Relative paths of manifests in the step are resolved against `folder`.
    """
    name = step.action
    value = getattr(step, name)
    functions: Mapping[str, Callable[[], Change]] = {
        "failNode": lambda: Change(lambda kube: kube.nodes.fail(value), lambda kube: kube.nodes.recover(value)),
        "recoverNode": lambda: Change(lambda kube: kube.nodes.recover(value)),
        "removeNode": lambda: Change(lambda kube: kube.nodes.remove(value)),
        "rebootNode": lambda: Change(lambda kube: kube.nodes.reboot(value)),
        "partitionNode": lambda: Change(lambda kube: kube.nodes.partition(value), lambda kube: kube.nodes.heal(value)),
        "healNode": lambda: Change(lambda kube: kube.nodes.heal(value)),
        "deleteRule": lambda: Change(lambda kube: kube.behaviors.delete(value)),
        "deleteMetric": lambda: Change(lambda kube: kube.metrics.delete(value)),
        "removeFault": lambda: Change(lambda kube: remove_fault(kube, value)),
        "apply": lambda: Change(lambda kube: kube.apply(located(value, folder), force=True, timeout=_PATIENCE_SECONDS)),
        "create": lambda: Change(lambda kube: kube.create(located(value, folder))),
        "call": lambda: Change(value),
    }
    return functions[name]() if name in functions else value


@contextlib.contextmanager
def _opened(path: str | os.PathLike[str] | None) -> Iterator[BinaryIO | None]:
    if path is None:
        yield None
        return
    with Path(path).open("wb") as file:
        yield file
