"""Probes and lifecycle hooks of containers: their schedule, results and consequences (``pkg/kubelet/prober``)."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, NamedTuple, TypeAlias

from memkube.apimachinery.duration import go_duration
from memkube.apimachinery.model import Document
from memkube.apimachinery.shown_values import quoted
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.types.probes import LifecycleHandler, Probe
from memkube.controllers.framework.saved_values import instant_or_none
from memkube.controllers.kubelet.containers.behavior import ProbeBehavior, ProbeType
from memkube.controllers.kubelet.containers.environment import expanded
from memkube.controllers.kubelet.containers.server_requests import (
    HookResult,
    PodTarget,
    ProbeResult,
    http_hook,
    server_probe,
)
from memkube.controllers.kubelet.pod_context import AnyContainer
from memkube.controllers.kubelet.programs.interpreter import run_program
from memkube.controllers.kubelet.programs.program import Budget, Output, Pause, ReadLine, Run, Serve, Session, Traps

_MOST_OUTPUT: Final = 10 * 1024
_MOST_RESTS: Final = 10
_LONGEST_HOOK = 3600.0


class _Schedule(NamedTuple):
    """Timing and thresholds of a probe, which are kept instead of the container's spec to save memory."""

    delay: int
    period: int
    successes: int
    failures: int

    @classmethod
    def of(cls, probe: Probe) -> "_Schedule":
        """Read the timing and thresholds from the spec of a probe. A period of 0 becomes one second."""
        return cls(
            probe.initialDelaySeconds, max(probe.periodSeconds, 1), probe.successThreshold, probe.failureThreshold
        )


class ProbeRunner:
    """Schedule and results of one probe, during one run of its container.

    The first check is due `initialDelaySeconds` after the start of the container, but not before the time `enabled`.
    Each further check is due one period after the check before it.

    `outcome` is None at first. A result becomes the outcome when it has been repeated as often as the success or
    failure threshold requires.

    Once the outcome is a success that cannot change, the probe rests: no check is due until `resume` is called.
    """

    __slots__ = ("_in_a_row", "_last", "_rests_from", "_schedule", "_stops_at_outcome", "due", "outcome")

    def __init__(self, schedule: _Schedule, started: datetime, enabled: datetime, *, stops_at_outcome: bool) -> None:
        self._schedule = schedule
        self._stops_at_outcome = stops_at_outcome
        self._last: bool | None = None
        self._in_a_row = 0
        self.outcome: bool | None = None
        self.due: datetime | None = max(started + timedelta(seconds=schedule.delay), enabled)
        self._rests_from: datetime | None = None
        """Time of the first check that was left out because the probe rests; None if it does not rest."""

    def saved(self) -> Document:
        """Return the state of the probe as JSON data, for a snapshot."""
        return {
            "due": self.due,
            "last": self._last,
            "inARow": self._in_a_row,
            "outcome": self.outcome,
            "restsFrom": self._rests_from,
        }

    def restore(self, saved: Document) -> None:
        """Restore the state of the probe. Raises ValueError, TypeError or KeyError for malformed data."""
        self.due, self._last = instant_or_none(saved["due"]), saved["last"]
        self._in_a_row, self.outcome = saved["inARow"], saved["outcome"]
        self._rests_from = instant_or_none(saved.get("restsFrom"))

    def assume(self, outcome: bool) -> None:
        """Begin with an outcome that was determined before the kubelet took over the container."""
        self.outcome = outcome
        if outcome and self._stops_at_outcome:
            self.due = None

    def stop(self) -> None:
        """Perform no further checks."""
        self.due = self._rests_from = None

    def resume(self, now: datetime) -> None:
        """If the probe rests, continue its checks at the first time of its schedule that is not before `now`."""
        if self._rests_from is not None:
            period = timedelta(seconds=self._schedule.period)
            left_out = max(-((self._rests_from - now) // period), 0)
            self.due, self._rests_from = self._rests_from + left_out * period, None

    def take(self, result: ProbeResult) -> None:
        """Record the result of the check that was due, and schedule the probe's next check."""
        assert self.due is not None
        self.due += timedelta(seconds=self._schedule.period)
        if not result.is_known:
            return
        succeeded = result.succeeded
        self._in_a_row = self._in_a_row + 1 if succeeded == self._last else 1
        self._last = succeeded
        threshold = self._schedule.successes if succeeded else self._schedule.failures
        if self._in_a_row >= threshold:
            self.outcome = succeeded
            if self._stops_at_outcome:
                self.due = None
            elif succeeded and result.lasts and not result.is_warning:
                self.due, self._rests_from = None, self.due


def failure_text(probe: Probe, target: PodTarget) -> str:
    """Return the kubelet's message for a failed gRPC, HTTP or TCP probe.

    The message is used if the configured behaviour of the probe has none. For an exec probe, the result is empty.
    `target` has the container of the probe and the IP address of its pod.
    """
    if probe.grpc is not None:
        return 'service unhealthy (responded with "NOT_SERVING")'
    if probe.httpGet is not None:
        return "HTTP probe failed with statuscode: 503"
    if (tcp := probe.tcpSocket) is not None:
        port = next((one.containerPort for one in target.container.ports if one.name == tcp.port), tcp.port)
        return f"dial tcp {tcp.host or target.pod_ip}:{port}: connect: connection refused"
    return ""


class Playback(NamedTuple):
    """Result of a simulated program that was run to its end."""

    code: int | None
    """Exit code of the program, or None if it exceeded its time limit."""
    output: str
    """The program's standard output, followed by its standard error. Its length is limited."""
    seconds: float
    """Simulated seconds that the program took; infinite if it is not simulated."""
    errors: str = ""
    """The program's standard error."""


def play_to_end(run: Run, limit: float) -> Playback:
    """Run a simulated program without input, and return its exit code, output and duration.

    The run is stopped once it has taken `limit` seconds of simulated time, or if the program is one that is assumed to
    run until it is stopped (a server).
    """
    written, errors = b"", b""
    seconds, rests = 0.0, 0
    sent: bytes | None = None

    def ended(code: int | None, took: float) -> Playback:
        output = (written + errors)[:_MOST_OUTPUT]
        return Playback(code, output.decode(errors="replace"), took, errors.decode(errors="replace"))

    while True:
        try:
            step = run.send(sent)
        except StopIteration as end:
            return ended(end.value, seconds)
        sent = None
        match step:
            case Output(data=data, stream="stderr"):
                errors = (errors + data)[:_MOST_OUTPUT]
            case Output(data=data):
                written = (written + data)[:_MOST_OUTPUT]
            case Pause(seconds=pause, busy=busy):
                seconds += pause
                rests += busy
                if rests > _MOST_RESTS:
                    return ended(None, limit)
                if seconds > limit:
                    return ended(None, limit if pause == math.inf else seconds)
            case Serve():
                return ended(None, math.inf)
            case ReadLine():
                sent = b""


def probe_result(
    behavior: ProbeBehavior | None, probe: Probe, run_seconds: float, session: Session, now: datetime, target: PodTarget
) -> ProbeResult:
    """Return the result of a probe that runs at the time `now`.

    `behavior` is not None if a rule or an annotation of the pod determines the result. Otherwise an exec probe has the
    result of its command, or succeeds if the command is not simulated, and gRPC, HTTP and TCP probes have the result
    that follows from the server, or succeed if the server's response is not known. `run_seconds` is the time since the
    start of the container. `session` has the file system and the environment in which the command runs, and `target`
    the container and the servers that it reaches.
    """
    if behavior is not None:
        succeeded = behavior.succeeds(run_seconds)
        return ProbeResult(succeeded, "" if succeeded else behavior.message or failure_text(probe, target))
    if probe.exec is None:
        return server_probe(probe, target, now)
    limit = max(probe.timeoutSeconds, 1)
    # The kubelet replaces only references to variables with a literal value in the spec, not to those of a ConfigMap.
    variables = {variable.name: variable.value for variable in target.container.env}
    command = [expanded(word, variables) for word in probe.exec.command]
    played = _played(command, session, now, limit)
    if played.seconds == math.inf:
        return ProbeResult(True)
    if played.code is None:
        took = go_duration(timedelta(seconds=limit))
        return ProbeResult(False, f"command timed out: {quoted(' '.join(command))} timed out after {took}")
    return ProbeResult(played.code == 0, played.output)


def grace_after(failed: ProbeType, container: AnyContainer, spec: PodSpec) -> int:
    """Return the grace period, in seconds, of a container whose liveness or startup probe has failed (KEP-2238).

    It is the ``terminationGracePeriodSeconds`` of this probe or, if the probe has none, of the pod.
    """
    probe = container.livenessProbe if failed == "liveness" else container.startupProbe
    grace = probe.terminationGracePeriodSeconds if probe else None
    return spec.terminationGracePeriodSeconds or 0 if grace is None else grace


def run_hook(handler: LifecycleHandler, session: Session, now: datetime, target: PodTarget) -> HookResult:
    """Run a lifecycle hook at the time `now`, and return its result.

    A hook succeeds at once if its command is not simulated. `session` has the file system and the environment of the
    container in which a command runs, and `target` the container and the servers that an HTTP request reaches.
    """
    if handler.tcpSocket is not None:
        # The API keeps the field tcpSocket for compatibility, but the kubelet cannot run such a hook.
        return HookResult(problem="Cannot run handler: invalid handler")
    if handler.sleep is not None:
        return HookResult(handler.sleep.seconds)
    if handler.httpGet is not None:
        return http_hook(handler.httpGet, target, now)
    if handler.exec is None:
        return HookResult()
    played = _played(handler.exec.command, session, now, _LONGEST_HOOK)
    seconds = 0 if played.seconds == math.inf else min(played.seconds, _LONGEST_HOOK)
    if not played.code:
        return HookResult(seconds)
    command = " ".join(handler.exec.command)
    error = f"command '{command}' exited with {played.code}: {played.errors}"
    problem = f"Exec lifecycle hook ([{command}]) for {target.name} failed - error: {error}, message: "
    return HookResult(seconds, f"{problem}{quoted(played.output)}")


def _at_instant(session: Session, instant: datetime) -> Session:
    """Return a copy of `session` for another program in the same container, such as the command of a probe.

    The program gets the exported variables, and always sees the time `instant`.
    """
    return replace(
        session,
        environment=session.environment.copy(),
        variables={},
        now=lambda: instant,
        becomes_server=True,
        budget=Budget(),
        traps=Traps(),
    )


def _played(command: list[str], session: Session, now: datetime, limit: float) -> Playback:
    if not command:
        return Playback(0, "", 0)
    return play_to_end(run_program(command, _at_instant(session, now)), limit)


def probes_of(container: AnyContainer) -> Mapping[ProbeType, Probe]:
    """Return the probes that a container declares, by type."""
    probes: Mapping[ProbeType, Probe | None] = {
        "startup": container.startupProbe,
        "liveness": container.livenessProbe,
        "readiness": container.readinessProbe,
    }
    return {kind: probe for kind, probe in probes.items() if probe is not None}


Check: TypeAlias = Callable[[ProbeType, datetime], ProbeResult]
"""Function that performs a probe of one type at a given time."""


class ContainerProbes:
    """The probes of a running container. They determine whether it has started, is ready and must be restarted.

    Liveness and readiness probes begin after the startup probe, if there is one, has succeeded.
    """

    __slots__ = ("_began", "_runners", "_schedules", "failed")

    def __init__(self, container: AnyContainer, began: datetime, enabled: datetime | None = None) -> None:
        """Schedule the probes of a container that started at the time `began`.

        The probes begin at the time `enabled`, which is the end of the postStart hook; without a hook, at `began`.
        """
        enabled = enabled or began
        self._began = began
        self._schedules = tuple((kind, _Schedule.of(probe)) for kind, probe in probes_of(container).items())
        self._runners: dict[ProbeType, ProbeRunner] = {}
        self.failed: ProbeType | None = None
        if self._schedules and self._schedules[0][0] == "startup":
            self._runners["startup"] = ProbeRunner(self._schedules[0][1], began, enabled, stops_at_outcome=True)
        else:
            self._watch(enabled)

    @property
    def started(self) -> bool:
        """True if the container has passed its startup probe."""
        startup = self._runners.get("startup")
        return startup is None or startup.outcome is True

    @property
    def ready(self) -> bool:
        """True if the container has passed its startup probe and its readiness probe.

        Without such a probe in its spec, it counts as passed.
        """
        if not self.started:
            return False
        readiness = self._runners.get("readiness")
        return readiness is None or readiness.outcome is True

    @property
    def due(self) -> datetime | None:
        """Time at which the next check by a probe of the container is due; None if there is none."""
        return min((r.due for r in self._runners.values() if r.due is not None), default=None)

    def step(self, now: datetime, check: Check) -> None:
        """Run the probes that are due at the time `now`, the earliest first.

        `check` performs a probe of one type at a given time. After the startup or liveness probe has failed, only the
        readiness probe continues, until the container ends.
        """
        while (due := self.due) is not None and due <= now:
            for probe_type, runner in list(self._runners.items()):
                if runner.due == due:
                    self._check(probe_type, runner, due, check)

    def resume(self, now: datetime) -> None:
        """Continue the checks of resting probes, because their results may change from the time `now` on."""
        for runner in self._runners.values():
            runner.resume(now)

    def saved(self) -> Document:
        """Return the state of all probes of the container as JSON data, for a snapshot."""
        runners = {kind: runner.saved() for kind, runner in self._runners.items()}
        return {"began": self._began, "failed": self.failed, "runners": runners}

    def restore(self, saved: Document) -> None:
        """Restore the state of the container's probes.

        Raises AttributeError, KeyError, TypeError or ValueError for malformed data.
        """
        self.failed = saved["failed"]
        self._runners = {}
        schedules = dict(self._schedules)
        for kind, runner in saved["runners"].items():
            if kind in schedules:
                stops = kind == "startup"
                self._runners[kind] = ProbeRunner(schedules[kind], self._began, self._began, stops_at_outcome=stops)
                self._runners[kind].restore(runner)

    def assume(self, *, started: bool, ready: bool) -> None:
        """Take over the probes' results from a running container's status: its fields `started` and `ready`."""
        if started and "startup" in self._runners:
            self._runners["startup"].assume(outcome=True)
            self._watch(self._began)
        if "readiness" in self._runners:
            self._runners["readiness"].assume(ready)

    def stop(self) -> None:
        """Stop the liveness and startup probes, because the container is being stopped. Their results are kept."""
        for probe_type in ("startup", "liveness"):
            if (runner := self._runners.get(probe_type)) is not None:
                runner.stop()

    def _check(self, probe_type: ProbeType, runner: ProbeRunner, due: datetime, check: Check) -> None:
        result = check(probe_type, due)
        runner.take(result)
        if runner.outcome is False and probe_type != "readiness":
            self.failed = probe_type
            self.stop()
        elif runner.outcome is True and probe_type == "startup" and len(self._runners) == 1:
            self._watch(due)

    def _watch(self, enabled: datetime) -> None:
        for probe_type, schedule in self._schedules:
            if probe_type != "startup":
                self._runners[probe_type] = ProbeRunner(schedule, self._began, enabled, stops_at_outcome=False)
