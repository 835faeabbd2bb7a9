"""Plays a scenario on a new server, and reports the result."""

import contextlib
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias

from memkube.cluster.synchronous import Memkube
from memkube.errors import MemkubeError
from memkube.scenarios.actions import Change, located, remove_fault
from memkube.scenarios.record import Record
from memkube.scenarios.scenario import AnyScenario, Scenario, Step, read_scenario
from memkube.scenarios.timeline import Occurrence, timeline

Progress: TypeAlias = Callable[[datetime, str], None]
"""Function that is called with the time of the server's clock, and with a description of the step that happens then.
The description is empty if the clock only advances."""
_LONGEST_ADVANCE_SECONDS: Final = 24 * 3600.0


@dataclass(slots=True)
class Report:
    """The result of a played scenario: failures, Events, pods and changes of objects."""

    name: str
    seed: int
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

    @property
    def passed(self) -> bool:
        """True if no expectation failed and no step was refused."""
        return not self.failures

    def to_document(self) -> dict[str, Any]:
        """Return the report as JSON data."""
        times = {"started": self.started.isoformat(), "ended": self.ended.isoformat()}
        return {**asdict(self), **times, "passed": self.passed}


def play(
    scenario: AnyScenario,
    *,
    seed: int | None = None,
    events: str | os.PathLike[str] | None = None,
    on_progress: Progress = lambda _, __: None,
) -> Report:
    """Play a scenario on a new server with a stepped clock, and return the report.

    ::

        report = memkube.play("night.yaml", seed=7)
        assert report.passed, report.failures

    The scenario is the path of a file, or its content as a dictionary. `seed` replaces the seed of the scenario;
    `events` is the path of a file for the event log. Two runs with the same scenario, seed and version of memkube write
    equal event logs. Raises UsageError for a scenario that is not valid.
    """
    read = read_scenario(scenario)
    if seed is not None:
        read = read.model_copy(update={"seed": seed})
    occurrences = timeline(read)
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
        return _Player(read, kube, file, on_progress).play(occurrences)


class _Player:
    """Plays one scenario on a running server."""

    def __init__(self, scenario: Scenario, kube: Memkube, file: BinaryIO | None, on_progress: Progress) -> None:
        self._scenario = scenario
        self._kube = kube
        self._running = kube._running
        self._on_progress = on_progress
        self._record = Record(self._running.server.registry, file, lambda now: on_progress(now, ""))
        start = scenario.cluster.start
        self._end = scenario.until.after(start)
        self._report = Report(scenario.name, scenario.seed, start, start)

    def play(self, occurrences: list[Occurrence]) -> Report:
        report, scenario = self._report, self._scenario
        try:
            if scenario.setup is not None:
                self._kube.apply(located(scenario.setup, scenario.folder))
            for occurrence in occurrences:
                self._advance(occurrence.instant)
                self._happen(occurrence)
            self._advance(self._end)
            for number, expectation in enumerate(scenario.expect):
                report.failures += [f"expect[{number}]: {line}" for line in expectation.failures(self._kube)]
        except MemkubeError as error:
            report.failures.append(str(error))
        self._finish()
        return report

    def _advance(self, instant: datetime) -> None:
        """Move the clock to a time, and record all changes of objects until then."""
        seconds = (instant - self._kube.clock.now()).total_seconds()
        work = self._running.controls.advance(seconds, self._record)
        self._running.result(self._running.submit(work), _LONGEST_ADVANCE_SECONDS)

    def _happen(self, occurrence: Occurrence) -> None:
        """Perform or undo the action of a step, or check its expectation.

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

    def _finish(self) -> None:
        """Complete the report: its end, the numbers of Events and changes, and the phases of the pods."""
        report, record = self._report, self._record
        self._running.result(self._running.submit(record.is_reached()), _LONGEST_ADVANCE_SECONDS)
        report.ended = self._kube.clock.now()
        report.events = dict(sorted(record.reasons.items(), key=lambda one: (-one[1], one[0])))
        phases = Counter(str(pod["status"].get("phase")) for pod in self._kube.objects("pods"))
        report.pods = dict(sorted(phases.items()))
        report.changes, report.digest = record.changes, record.digest


def action_of(step: Step, folder: Path) -> Any:
    """Return the action of a step: an object with a method `perform`, and `undo` if it can be undone."""
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
        "apply": lambda: Change(lambda kube: kube.apply(located(value, folder), force=True)),
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
