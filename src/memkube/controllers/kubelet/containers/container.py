"""One container of a simulated pod, through all its restarts (``pkg/kubelet/kuberuntime``)."""

from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import Final

from memkube.apimachinery.duration import go_duration
from memkube.apis.core.v1.pods.types import ContainerStateTerminated, ContainerStatus
from memkube.apis.core.v1.podspec.types.containers import Container, ResourceRequirements
from memkube.apis.core.v1.podspec.types.probes import LifecycleHandler
from memkube.controllers.framework.event_recorder import Report
from memkube.controllers.kubelet.containers.behavior import NOTHING_SET, ProbeType
from memkube.controllers.kubelet.containers.container_states import (
    SPEC_FIELDS,
    Ended,
    Role,
    Running,
    State,
    Stopping,
    Waiting,
    new_backoff,
    restarts,
    restarts_after_kill,
)
from memkube.controllers.kubelet.containers.images import ImagePuller, ImageRequest, ImageWait, image_id
from memkube.controllers.kubelet.containers.log import ContainerLog
from memkube.controllers.kubelet.containers.probes import (
    ContainerProbes,
    grace_after,
    probe_result,
    probes_of,
    run_hook,
)
from memkube.controllers.kubelet.containers.process import (
    Command,
    Exit,
    Process,
    is_shell_image,
    program_of,
    termination_message,
)
from memkube.controllers.kubelet.containers.server_requests import HookResult, ProbeResult
from memkube.controllers.kubelet.containers.setting import Setting
from memkube.controllers.kubelet.pod_context import AnyContainer, NotConfigured
from memkube.controllers.kubelet.programs.program import TERMINATING_SIGNALS, Session

_NOT_SIMULATED: Final = "CommandNotSimulated"
_NOT_CONFIGURED: Final = "CreateContainerConfigError"
_RETRY: Final = timedelta(seconds=10)
_UNPLAYED: Final = timedelta(seconds=1)
"""Time from the start of a command that is not simulated to its end, in containers that are expected to end."""
_NOT_BEGUN: Final = Waiting()
_LOST_CODE: Final = 255
"""Exit code of a container that ended with its node, so that the container runtime did not see its exit code."""


class SimulatedContainer:
    """State and history of one container of a simulated pod."""

    def __init__(self, name: str, role: Role, images: set[str], resources: ResourceRequirements) -> None:
        self.name = name
        self.role: Role = role
        self.resources = resources
        """Resources that the kubelet has allocated. They differ from those in the spec while a resize is deferred."""
        self.actual = resources
        """Resources that the present run has. They differ from the allocated ones while a resize is in progress."""
        self.state: State = _NOT_BEGUN
        self.last: Ended | None = None
        self.runs = 0
        self.container_id = ""
        self.image = ""
        self.log: ContainerLog | None = None
        self.previous_log: ContainerLog | None = None
        self.process: Process | None = None
        self.session: Session | None = None
        self.behavior = NOTHING_SET
        self.probes: ContainerProbes | None = None
        self.stopping: Stopping | None = None
        self.has_term = False
        self.said_unplayed = False
        self.ends_unplayed: datetime | None = None
        """Time at which the run ends, if its command is not simulated; None if it is simulated or never ends."""
        self.ended: Ended | None = None
        """The last run, if it has ended and no other run has started; otherwise None."""
        self.puller = ImagePuller(images)
        self.has_image = False
        self.backoff = new_backoff()
        self.retries: datetime | None = None
        self.starts: datetime | None = None
        self.is_unreported = False
        """True if the last run has ended, and the kubelet has not written this to the pod's status yet."""
        self.wanted_image = ""
        """Image with which the kubelet last tried to start the container."""
        self.is_replaced = False
        """True if the kubelet stopped the last run to restart the container, whatever the exit code of that run is."""
        self.post_start_ends: datetime | None = None
        """Time at which the postStart hook of the running container ends; None if it has ended, or if there is none."""
        self.post_start_problem = ""
        """Why the postStart hook of the last run failed; empty if it did not fail."""

    @property
    def restarts(self) -> int:
        """Number of runs of the container after the first one."""
        return max(self.runs - 1, 0)

    @property
    def is_running(self) -> bool:
        return isinstance(self.state, Running)

    @property
    def has_run(self) -> bool:
        """True if the container is running, or has ended since its node booted and was not started again."""
        return self.is_running or self.ended is not None

    @property
    def is_unconfigured(self) -> bool:
        """True if the container could not be created because its configuration is invalid or incomplete."""
        return isinstance(self.state, Waiting) and self.state.reason == _NOT_CONFIGURED

    @property
    def is_stopping(self) -> bool:
        """True if the container is being stopped but has not ended."""
        return self.stopping is not None

    @property
    def started(self) -> bool:
        """True if the container is running and has passed its postStart hook and its startup probe."""
        return self.is_running and self.probes is not None and self.probes.started

    @property
    def ready(self) -> bool:
        """True if the container is running and has passed its postStart hook and its probes."""
        return self.is_running and self.probes is not None and self.probes.ready

    @property
    def blocks_pod(self) -> bool:
        """True while the kubelet runs the container's postStart hook, or stops the container because it failed."""
        return self.is_running and (self.post_start_ends is not None or self.post_start_problem != "")

    @property
    def due(self) -> datetime | None:
        """Time at which the state of the container next changes; None if no change is planned."""
        if not self.is_running:
            return self.retries
        assert self.process is not None
        dues = [self.process.due, self.probes.due if self.probes else None, self.ends_unplayed, self.post_start_ends]
        if self.stopping is not None:
            dues += [self.stopping.ends, None if self.has_term else self.stopping.signals]
        return min((due for due in dues if due is not None), default=None)

    @property
    def image_id(self) -> str:
        """The digest of the image that the last run of the container used."""
        return image_id(self.image) if self.image else ""

    @property
    def bytes_written(self) -> int:
        """Bytes that the container uses on the node's disk: logs, and files of its last run outside of volumes."""
        return self.bytes_of_logs + self.bytes_of_files

    @property
    def bytes_of_logs(self) -> int:
        """Size of the container's logs in bytes."""
        return sum(log.size for log in (self.log, self.previous_log) if log is not None)

    @property
    def bytes_of_files(self) -> int:
        """Size in bytes of the files that the container's last run wrote outside of volumes."""
        return self.session.files.own_bytes if self.session is not None else 0

    def field_path(self, container: AnyContainer) -> str:
        """``fieldPath`` with which Events refer to the container, such as ``spec.containers{web}``."""
        return f"spec.{SPEC_FIELDS[self.role]}{{{container.name}}}"

    def advance(self, setting: Setting, container: AnyContainer) -> None:
        """Perform the steps of the running container that are due: program, probes and end.

        `setting` has the current time and the pod's node, network and volumes; `container` is the container's spec.
        """
        process, probes = self.process, self.probes
        if not self.is_running or process is None:
            return
        process.advance(setting.now)
        self._note_unplayed(setting, container, process)
        if process.exit is None and self.ends_unplayed is not None and self.ends_unplayed <= setting.now:
            process.kill(self.ends_unplayed, 0)
        if process.exit is None and probes is not None:
            probes.step(setting.now, lambda kind, due: self._check(setting, container, kind, due))
            if probes.failed and self.stopping is None:
                self._replace_failed(setting, container, probes.failed)
        if process.exit is None and self.stopping is not None:
            self._end_in_time(process, self.stopping, setting.now)
        if process.exit is not None:
            self._end(process.exit, container)

    def _note_unplayed(self, setting: Setting, container: AnyContainer, process: Process) -> None:
        """If the command of `process` is not simulated, record an Event about this once, and plan the container's end.

        Init and ephemeral containers end with exit code 0, and so does a main container that is not restarted after a
        success. Any other container keeps running as a server.

        A main container without a command keeps running its image's program, which is usually a server. If the program
        is a shell, and the container is not restarted after a success, it ends at once: a shell without input does.
        """
        if process.unplayed is None or process.exit is not None or self.behavior.plays:
            return
        why = process.unplayed
        if self.role == "init":
            why = why or f"the program of image {container.image} is not simulated"
        if not why:
            has_command = container.command or container.args
            if not has_command and is_shell_image(container.image) and self._is_expected_to_end(setting, container):
                self.ends_unplayed = process.instant
            return
        if self.ends_unplayed is None and self._is_expected_to_end(setting, container):
            self.ends_unplayed = process.instant + _UNPLAYED
        if not self.said_unplayed:
            self.said_unplayed = True
            does = "ends with exit code 0" if self.ends_unplayed is not None else "keeps running as a server"
            text = f"{why}; container {self.name} {does}"
            setting.report(Report("Warning", _NOT_SIMULATED, text, self.field_path(container)))

    def _is_expected_to_end(self, setting: Setting, container: AnyContainer) -> bool:
        if self.role != "app" or not isinstance(container, Container):
            return self.role in ("init", "ephemeral")
        return not restarts(container, setting.context.pod.spec, 0)

    def start(self, setting: Setting, container: AnyContainer) -> None:
        """Start the container if back-off, image pull and configured delays allow that now.

        Otherwise `due` is set to the time of the next attempt. `setting` has the current time and the pod's node,
        network and volumes; `container` is the container's spec.
        """
        if self.is_unreported and not self.is_replaced:
            # The kubelet reports that a container has ended before it starts the container again.
            self.retries = setting.now
            if self.post_start_problem:
                self.last, self.state = self.ended, Waiting("PostStartHookError", self.post_start_problem)
            return
        if container.image != self.wanted_image:
            self._want(container.image)
        if self.retries is not None and setting.now < self.retries:
            return
        self.retries = None
        if self.ended is not None:
            if self._backs_off(setting, container, self.ended):
                return
            self.last, self.ended = self.ended, None
        if self._waits_for_volumes(setting, container):
            return
        try:
            self.behavior = setting.behavior(container)
            if self.has_image or self._get_image(setting, container):
                self._run(setting, container)
        except NotConfigured as problem:
            self.has_image = False
            setting.report(Report("Warning", "Failed", f"Error: {problem}", self.field_path(container)))
            self._wait(setting.now + _RETRY, Waiting(_NOT_CONFIGURED, str(problem)))

    def _want(self, image: str) -> None:
        """Record the image for the next start. If it has changed, reset the back-offs of the container and the pull."""
        if self.wanted_image:
            self.reset_backoff()
            self.puller, self.has_image, self.starts = ImagePuller(self.puller.present), False, None
        self.wanted_image = image

    def reset_backoff(self) -> None:
        """Reset the back-off, so that the next start is tried at once.

        The kubelet does this if the image or the resources of the container have changed (``GetBackoffKey``).
        """
        self.backoff, self.retries = new_backoff(), None

    def take_over(self, status: ContainerStatus, setting: Setting, container: AnyContainer) -> None:
        """Continue a container that an earlier server ran, from `status`, its status in the Pod.

        A running container keeps running, but its program starts again, with an empty log. If the configuration of the
        container is invalid now, the run ends with the reason Unknown. `setting` has the current time and the pod's
        node, network and volumes; `container` is the container's spec.
        """
        running, terminated = status.state.running, status.state.terminated
        self.last = _ended_in(status.lastState.terminated, setting.now)
        self.runs, self.image, self.container_id = status.restartCount + 1, status.image, status.containerID
        if running is None:
            waiting = status.state.waiting
            self.state = Waiting(waiting.reason, waiting.message) if waiting is not None else _NOT_BEGUN
            self.ended = self.last
            if (ended := _ended_in(terminated, setting.now)) is not None:
                self.state = self.ended = ended
            return
        started = setting.now if running.startedAt is None else running.startedAt.instant
        try:
            self.behavior, session = setting.behavior(container), setting.session(container)
        except NotConfigured:
            self._lose_run(started, setting.now)
            return
        self._begin(setting, container, session, started)
        assert self.probes is not None
        self.probes.assume(started=status.started is not False, ready=status.ready)

    def follow_rules(self, setting: Setting, container: AnyContainer) -> None:
        """Apply changed behaviour rules to the running container, if its process acts as a server such as nginx.

        Nothing changes if the process runs a script, has a configured behaviour already, or is being stopped. Times in
        the new behaviour are relative to the present time. `setting` has the changed rules, the current time and the
        pod's node, network and volumes; `container` is the container's spec.
        """
        process = self.process
        if not self.is_running or process is None or process.unplayed is None or self.behavior.plays or self.stopping:
            return
        try:
            self.behavior = setting.behavior(container)
        except NotConfigured:
            return
        if self.behavior.plays and self.session is not None and self.log is not None:
            self.ends_unplayed = None
            self.process = self.played(container, self.session, setting.now, self.log)

    def hurry(self) -> None:
        """Retry the creation of the container at once, if its configuration was invalid or incomplete."""
        if self.is_unconfigured:
            self.retries = None

    def replace(self, setting: Setting, container: AnyContainer, grace: int, message: str) -> None:
        """Stop the container within `grace` seconds, to start it again, and record an Event with the `message`.

        `setting` has the current time and the pod's node, network and volumes; `container` is the container's spec.
        """
        self.is_replaced = True
        self.stop(setting, container, grace, message)

    def stop(
        self, setting: Setting, container: AnyContainer, grace: int, message: str = "", *, waits: bool = False
    ) -> None:
        """Stop the container within `grace` seconds, and record an Event. `message` replaces the Event's usual message.

        The preStop hook runs first. If the container is being stopped already, the shorter grace period applies. If
        `waits` is True, the signal TERM is delayed until `stop` is called again with `waits` False, or until the end of
        the grace period. `setting` has the current time and the pod's node, network and volumes; `container` is
        the container's spec.
        """
        if not self.is_running or self.session is None:
            return
        if self.stopping is None:
            text = message or f"Stopping container {container.name}"
            setting.report(Report("Normal", "Killing", text, self.field_path(container)))
            if self.probes is not None:
                self.probes.stop()
            hook = self._run_pre_stop_hook(setting, container) if grace else 0
        else:
            if not waits:
                self.stopping = self.stopping.take_turn(setting.now, self._seconds_to_end)
            hook = max((self.stopping.hook_ends - setting.now).total_seconds(), 0)
        stopping = Stopping.begin(setting.now, grace, min(hook, grace), self._seconds_to_end, waits=waits)
        if self.stopping is None or stopping.ends < self.stopping.ends:
            self.stopping = stopping

    def _run_pre_stop_hook(self, setting: Setting, container: AnyContainer) -> float:
        """Run the preStop hook of the container, and return the seconds that it takes."""
        handler = container.lifecycle.preStop if container.lifecycle else None
        result = self._run_hook(handler, setting, container)
        if result.problem:
            setting.report(Report("Warning", "FailedPreStopHook", "PreStopHook failed", self.field_path(container)))
        return result.seconds

    def _run_hook(self, handler: LifecycleHandler | None, setting: Setting, container: AnyContainer) -> HookResult:
        if handler is None:
            return HookResult()
        assert self.session is not None
        result = run_hook(handler, self.session, setting.now, setting.target(container))
        if result.fallback:
            text = f"request to HTTPS lifecycle hook {result.fallback} got HTTP response, retry with HTTP succeeded"
            setting.report(Report("Warning", "LifecycleHTTPFallback", text))
        return result

    def lose(self, now: datetime) -> None:
        """End the container because its node has rebooted. The next start does not wait for the back-off."""
        self.backoff, self.retries, self.starts, self.is_replaced = new_backoff(), None, None, False
        if not isinstance(self.state, Running) or self.process is None:
            return
        self.process.kill(now, _LOST_CODE)
        self._lose_run(self.state.started, now)
        self.stopping, self.probes, self.ends_unplayed, self.post_start_ends = None, None, None, None

    def _lose_run(self, started: datetime, now: datetime) -> None:
        self.state = self.ended = Ended(_LOST_CODE, "Unknown", started, now, self.container_id)

    def give_up(self) -> None:
        """Cancel the start of a waiting container, because its pod was deleted (``ShouldContainerBeRestarted``).

        If the container has run before, its state shows the end of its last run again.
        """
        if isinstance(self.state, Waiting):
            self.state, self.retries = self.ended or self.last or _NOT_BEGUN, None

    def reset(self) -> None:
        """Reset an init container that has ended, so that it runs again after the reboot of its node."""
        if self.ended is not None:
            self.last, self.ended, self.state = self.ended, None, _NOT_BEGUN

    def signal(self, name: str, now: datetime) -> None:
        """Send a signal to the container's process from another program in the pod.

        If the process is a script, the script's traps handle the signal. If memkube simulates the process as a server,
        such as nginx, the signals INT, QUIT and TERM end it.
        """
        assert self.process is not None
        self.process.advance(now)
        if (seconds := self._seconds_to_end) is None:
            self.process.signal(name, now)
        elif name in TERMINATING_SIGNALS and self.stopping is None:
            self.stopping = Stopping(now + timedelta(seconds=seconds), 0, now)

    @property
    def _seconds_to_end(self) -> float | None:
        """Return the seconds that the process takes to end after the signal TERM, or None if it ignores TERM."""
        if self.behavior.stopSeconds is not None:
            return self.behavior.stopSeconds
        if self.behavior.plays:
            return 0
        return self.process.stop_seconds if self.process and self.process.handles_term else None

    def _end_in_time(self, process: Process, stopping: Stopping, now: datetime) -> None:
        if stopping.signals <= now and not self.has_term and self.session is not None:
            self.has_term = True
            process.signal("TERM", now)
        if stopping.ends <= now:
            process.kill(stopping.ends, stopping.code)

    def _get_image(self, setting: Setting, container: AnyContainer) -> bool:
        request = ImageRequest(container.image, container.imagePullPolicy, self.behavior, self.field_path(container))
        wait = self.puller.get(request, setting.now, setting.report)
        if wait is None:
            self.has_image = True
            self.starts = setting.now + timedelta(seconds=self.behavior.startDelaySeconds)
            return True
        self._wait_for_image(wait, setting, container)
        return False

    def _wait_for_image(self, wait: ImageWait, setting: Setting, container: AnyContainer) -> None:
        if wait.is_new:
            setting.report(Report("Warning", "Failed", wait.report, self.field_path(container)))
        self._wait(wait.until, Waiting(wait.reason, wait.message))

    def _waits_for_volumes(self, setting: Setting, container: AnyContainer) -> bool:
        """Wait if the container mounts an image volume whose pull has failed. Returns True if the container waits."""
        waits = setting.image_waits
        failed = [waits[mount.name] for mount in container.volumeMounts if mount.name in waits] if waits else []
        for wait in failed:
            self._wait_for_image(wait, setting, container)
        return bool(failed)

    def _run(self, setting: Setting, container: AnyContainer) -> None:
        if self.starts is not None and setting.now < self.starts:
            self._wait(self.starts, Waiting())
            return
        session = setting.session(container)
        self.has_image, self.starts, self.stopping, self.has_term = False, None, None, False
        self.ends_unplayed, self.is_replaced = None, False
        self.runs += 1
        self.image = container.image
        name = f"{setting.context.pod.metadata.uid}/{self.name}/{self.runs}"
        self.container_id = f"memkube://{sha256(name.encode()).hexdigest()}"
        self._begin(setting, container, session, setting.now)
        for reason, text in (("Created", "Container created"), ("Started", "Container started")):
            setting.report(Report("Normal", reason, text, self.field_path(container)))
        handler = container.lifecycle.postStart if container.lifecycle else None
        result = self._run_hook(handler, setting, container)
        self.post_start_problem = result.problem
        if result.problem or result.seconds:
            self.probes, self.post_start_ends = None, setting.now + timedelta(seconds=result.seconds)
            self.end_post_start(setting, container)

    def end_post_start(self, setting: Setting, container: AnyContainer) -> None:
        """If the postStart hook has ended, start the container's probes, or stop the container if the hook has failed.

        `setting` has the current time and the pod's node, network and volumes; `container` is the container's spec.
        """
        if self.post_start_ends is None or self.post_start_ends > setting.now or not isinstance(self.state, Running):
            return
        self.post_start_ends = None
        if not self.post_start_problem:
            self.probes = ContainerProbes(container, self.state.started, setting.now)
            return
        if self.process is not None:
            # Let the program set its traps, or begin to serve, before it gets TERM.
            self.process.advance(setting.now)
        setting.report(Report("Warning", "FailedPostStartHook", "PostStartHook failed", self.field_path(container)))
        grace = setting.context.pod.spec.terminationGracePeriodSeconds or 0
        self.stop(setting, container, grace, "FailedPostStartHook")

    def _begin(self, setting: Setting, container: AnyContainer, session: Session, started: datetime) -> None:
        """Start a new run of the container: its log, program and probes.

        `session` is the environment of the program, and `started` the start time for the container's status. `setting`
        has the current time and the pod's node, network and volumes; `container` is the container's spec.
        """
        self.actual = self.resources
        self.session, options = session, setting.options
        self.previous_log, self.log = self.log, ContainerLog(options.container_log_bytes, options.log_line_bytes)
        self.process = self.played(container, session, setting.now, self.log)
        if not container.stdin and not container.tty:
            self.process.end_input(setting.now)
        self.state = Running(started)
        self.probes = ContainerProbes(container, setting.now)

    def played(self, container: AnyContainer, session: Session, started: datetime, log: ContainerLog) -> Process:
        """Create the simulated process for a run of the container, when the run starts or is restored.

        `session` is the environment of its program, `started` the time of its start, and `log` receives its output.
        """
        program = partial(program_of, Command.of(container), self.behavior, self.restarts, session)
        process = Process(program, started, log, session.traps)
        session.now = process.now
        return process

    def _backs_off(self, setting: Setting, container: AnyContainer, ended: Ended) -> bool:
        """Return True if the container does not start now, because its last run `ended` too recently (``doBackOff``).

        If the kubelet stopped that run to restart the container, the back-off counts from the end of the run before it:
        the kubelet stops and starts a container in one sync, and sees the end of the stopped run in the next sync.
        """
        counted = self.last if self.is_replaced else ended
        if counted is None:
            return False
        finished = counted.finished
        if not self.backoff.waits(finished, setting.now):
            self.backoff.lengthen(finished, setting.now)
            return False
        if self.is_replaced:
            # The next sync sees the end of the stopped run, and applies the restart policy of the container to it.
            self.is_replaced = False
            return True
        pod = setting.context.pod_name
        text = f"Back-off restarting failed container {self.name} in pod {pod}"
        setting.report(Report("Warning", "BackOff", text, self.field_path(container)))
        delay = go_duration(self.backoff.delay)
        message = f"back-off {delay} restarting failed container={self.name} pod={pod}"
        self.last = ended
        self._wait(finished + self.backoff.delay, Waiting("CrashLoopBackOff", message))
        return True

    def _check(self, setting: Setting, container: AnyContainer, kind: ProbeType, due: datetime) -> ProbeResult:
        assert self.session is not None
        assert isinstance(self.state, Running)
        seconds = (due - self.state.started).total_seconds()
        try:
            behavior = setting.behavior(container)
        except NotConfigured:
            behavior = self.behavior
        result = probe_result(
            behavior.probes.get(kind),
            probes_of(container)[kind],
            seconds,
            self.session,
            due,
            setting.target(container),
        )
        if not result.succeeded or result.is_warning:
            text = f"{kind.capitalize()} probe {result.verb}: {result.output}"
            reason = "ProbeWarning" if result.succeeded else "Unhealthy"
            setting.report(Report("Warning", reason, text, self.field_path(container)))
        return result

    def _replace_failed(self, setting: Setting, container: AnyContainer, kind: ProbeType) -> None:
        spec = setting.context.pod.spec
        grace, text = grace_after(kind, container, spec), f"{self.name} failed {kind} probe"
        if self.role == "sidecar":
            self.replace(setting, container, grace, f"Init container {text}")
        elif isinstance(container, Container) and restarts_after_kill(container, spec):
            self.replace(setting, container, grace, f"Container {text}, will be restarted")
        else:
            self.stop(setting, container, grace, f"Container {text}")

    def _wait(self, until: datetime, waiting: Waiting) -> None:
        self.retries = until
        self.state = waiting

    def _end(self, ended: Exit, container: AnyContainer) -> None:
        assert isinstance(self.state, Running)
        out_of_memory = self.behavior.outOfMemory and self.stopping is None
        reason = "OOMKilled" if out_of_memory else "Completed" if ended.code == 0 else "Error"
        assert self.session is not None
        assert self.log is not None
        message = termination_message(container, ended.code, self.session.files, self.log)
        self.state = Ended(ended.code, reason, self.state.started, ended.instant, self.container_id, message)
        self.ended, self.is_unreported = self.state, True
        self.stopping, self.probes, self.retries, self.ends_unplayed = None, None, None, None
        self.post_start_ends = None


def _ended_in(terminated: ContainerStateTerminated | None, now: datetime) -> Ended | None:
    """Return the end of a container's run from `terminated` in the container's status; None if it has not ended.

    A missing time becomes `now`.
    """
    if terminated is None:
        return None
    started, finished = (now if at is None else at.instant for at in (terminated.startedAt, terminated.finishedAt))
    about = terminated.containerID, terminated.message
    return Ended(terminated.exitCode, terminated.reason, started, finished, *about)
