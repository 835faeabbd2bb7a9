"""One run of the workload, with the faults of a plan or without faults, and what was observed during it."""

import os
import re
import subprocess
import threading
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import Any, Final, TypeVar

from memkube.apimachinery.model import Document
from memkube.cluster.synchronous import Memkube, running_of
from memkube.errors import MemkubeError, UsageError
from memkube.hunting.description import Hunt, Step, located
from memkube.hunting.disturbing import ANNOTATION, Disturbing, Reference
from memkube.hunting.election import RESOURCES, holder, is_record, lasting
from memkube.hunting.end_state import KOPF, State, end_state
from memkube.hunting.history import Change, CompiledInvariant, History
from memkube.hunting.plan import START, Plan
from memkube.hunting.probes import seconds_until_ready
from memkube.hunting.process import OperatorProcess
from memkube.telemetry.request_log import RequestRecord

T = TypeVar("T")
_POLL_SECONDS: Final = 0.02
_CREATED: Final = 201
_REFUSED: Final = 300
_MOST_EXITS: Final = 5
_READY_SECONDS: Final = 60.0
_BUSY_SECONDS: Final = 20.0
"""Maximum number of seconds for which operators may continue to write after a step. A run with longer writes fails."""
_WORKING_SECONDS: Final = 10.0
"""Maximum number of seconds to wait for an operator that uses CPU time but sends no write requests."""
_POLLS: Final = 3
"""Number of equal reads without a write in between after which an operator counts as polling."""
_PROBING_SECONDS: Final = 30.0
"""Maximum number of seconds after the beginning of a step for which a run waits for pods to become ready."""
_CALM_POLLS: Final = 5
"""Number of successive checks that must find the cluster idle before a step is over.

On a busy machine, a single check may last longer than the quiet time.
"""
_ASLEEP_SECONDS: Final = 2.0
"""Number of seconds for which operators must have waited without a timer before a run stops waiting for them."""
_TIMED: Final = ("Pod", "Job", "CronJob", "HorizontalPodAutoscaler")
"""Kinds of objects that the cluster may change after some time, so that an operator is woken."""
_TIMEOUT: Final = re.compile(rb"\btimeoutSeconds=(\d+)")
_COMMAND_SECONDS: Final = 120.0
_MOST_RETRY_SECONDS: Final = 50.0
"""Maximum number of seconds for which a run waits for a retry that the operator has announced in an object."""
_ANNOUNCED_SECONDS: Final = 6.0
"""Seconds after the beginning of a step within which an announced retry must be due, for the run to wait for it."""
_WORKLOAD_USER: Final = "memkube-hunt"
"""User that sends the requests of the workload and of the disturbances.

Requests without credentials may be those of the operator (`Hunt.users`).
"""
_KOPF_LOGGED: Final = re.compile(r"ry again in (\d+(?:\.\d+)?) seconds")
_RETRY_MARGIN_SECONDS: Final = 5.0
_KOPF_BACKOFF_SECONDS: Final = 60.0 + _RETRY_MARGIN_SECONDS
_KOPF_DELAYED: Final = re.compile(r'"delayed": ?"([^"]+)"')


class Interrupted(Exception):
    """Raised in a run if the user interrupts the search."""


class OutOfTime(Interrupted):
    """Raised in a run if the time of the search is over, or instead of a run that would begin after that time."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A request that an operator sent to the server during a run."""

    seconds: float
    """Time of arrival, in seconds since the start of the run."""
    verb: str
    group: str
    resource: str
    """Plural name of the resource, with a subresource after a slash, as in ``pods/status``."""
    name: str
    code: int
    fault: str
    is_any: bool = False
    """True for a list with resourceVersion=0, which a server may answer from an outdated cache."""

    is_page: bool = False
    """True for a list with a continue token."""
    is_json_patch: bool = False
    """True for a JSON patch."""
    path: str = ""
    """Path and query of the request."""

    @property
    def is_write(self) -> bool:
        """True if the request's verb is one that changes objects."""
        return self.verb in ("create", "update", "patch", "delete", "deletecollection")


@dataclass(slots=True)
class Observation:
    """The observations of one run: requests, changes of objects, output and failures of the operators."""

    states: dict[int, State] = field(default_factory=dict)
    """The objects after each step, by the step's number.

    Steps at whose end a disturbance with `lets_lag` is active are absent.
    """
    expected_uids: set[str] = field(default_factory=set)
    """Uids of the objects that existed after a step when all objects equalled those of the runs without faults."""
    wrong_step: int | None = None
    """Number of the first step after which the objects differed from those of the runs without faults for too long.

    While a run waits on, it may still become None again.
    """
    has_waited: bool = False
    """True if the objects after `wrong_step` still differed when no operator could be expected to correct them."""
    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    violated: dict[str, str] = field(default_factory=dict)
    sent: list[Sent] = field(default_factory=list)
    created: set[tuple[str, str]] = field(default_factory=set)
    """Kinds and names of the objects that the operators created."""
    changes: list[Change] = field(default_factory=list)
    step_ends: list[float] = field(default_factory=list)
    """Seconds from the start of the run to the end of each step. The first number is for the operator's start."""
    longest_gap: float = 0.0
    """Longest time in seconds between two successive changes of objects within a step."""
    lags_since: float | None = None
    """Time by ``time.monotonic`` at which the first disturbance with `lets_lag` began; None if there was none."""
    resources: dict[tuple[str, str], str] = field(default_factory=dict)
    """Resource of each kind that the server serves, such as ``deployments.apps``, by apiVersion and kind."""
    records: set[tuple[str, str]] = field(default_factory=set)
    """Plural and name of each leader-election lock at the end of the run, such as ``leases`` and ``widgets``."""
    usurped: list[Sent] = field(default_factory=list)
    """Successful writes of an operator while another client held the operator's Lease."""
    hit: set[int] = field(default_factory=set)
    """Numbers of the plan's disturbances that had an effect: a fault was applied, or an operator was killed."""
    overwritten: list[str] = field(default_factory=list)
    """Objects from which an operator's write removed the annotation that another client had just set."""
    lease_seconds: float = 0.0
    """Longest ``leaseDurationSeconds`` of a Lease, or of another record of leader election, that an operator held."""
    retries_in: float = 0.0
    """Seconds from the end of the run until the retry that an operator has announced in an object, as kopf does."""
    exits: list[int] = field(default_factory=list)
    busy: str = ""
    """Reason why an operator kept working after a step; "" if the operators became idle after every step."""
    failure: str = ""
    """Error message of a step of the workload that failed; "" if all steps succeeded."""
    output: str = ""
    last_output: str = ""
    """The part of `output` since the last start of each operator: an operator that ends again and again repeats its
    error.
    """
    started: float = 0.0
    seconds: float = 0.0

    @property
    def hits(self) -> int:
        """Number of the plan's disturbances that had an effect on an operator."""
        return len(self.hit)


@dataclass(frozen=True, slots=True)
class Patience:
    """Decides for how long a run waits if the objects after a step differ from those of the runs without faults."""

    seconds: float = 0.0
    """Time after which the run ends, unless `waits_on` returns True."""
    longest: float = 0.0
    """Time after which the run ends although `waits_on` has returned True, unless a retry of an operator is due."""
    waits_on: Callable[[Observation], bool] = lambda _: False
    """Called after `seconds`, with what was observed so far: True if the run must wait on."""
    is_enough: Callable[[Observation], bool] = lambda _: False
    """Called again and again while the run waits on: True if the run may end before `longest` is over."""
    confirms: bool = False
    """True for a run that repeats a violation, to confirm it."""


def qualified(plural: str, group: str) -> str:
    """Return the plural name of a resource with its group, as in ``deployments.apps``."""
    return f"{plural}.{group}" if group else plural


def announced_delay(outputs: Iterable[str]) -> float:
    """Return the longest delay until a retry that kopf has logged in `outputs`, in seconds, plus a margin.

    The log is needed because timers and daemons of kopf, unlike its handlers, do not announce retries in annotations of
    objects. Return 0 if no delay was logged.
    """
    found = [float(one) for output in outputs for one in _KOPF_LOGGED.findall(output)]
    return max(found) + _RETRY_MARGIN_SECONDS if found else 0.0


def _ends_soon(metadata: Document) -> bool:
    """Return True if the cluster will remove the object with this metadata, without waiting for a finalizer."""
    return "deletionTimestamp" in metadata and not metadata.get("finalizers")


def _record_name(document: Document) -> tuple[str, str] | None:
    """Return the plural resource and the name of a leader-election lock, such as a Lease; None for other objects."""
    if not is_record(document):
        return None
    return RESOURCES[document["kind"]].partition(".")[0], document["metadata"]["name"]


class Run:
    """Runs the workload once, on a new cluster and with newly started operators."""

    def __init__(
        self,
        hunt: Hunt,
        invariants: Sequence[CompiledInvariant],
        quiet: float,
        plan: Plan | None = None,
        interrupted: threading.Event | None = None,
        deadline: float = inf,
    ) -> None:
        """Prepare a run of the workload of `hunt`, with the disturbances of `plan` or without any.

        A step ends after `quiet` seconds without changes. If the plan lets the operators begin late
        (`Plan.begins_late`), it is the hunt's quiet time as soon as they run. `invariants` are checked after every
        change. Setting `interrupted` ends the run with the exception Interrupted. After `deadline`, a time by
        ``time.monotonic``, the run ends with OutOfTime.
        """
        self._hunt = hunt
        self._workload = [*hunt.workload, *(plan.steps if plan else ())]
        self._invariants = invariants
        self._quiet = quiet
        self._plan = plan
        self._interrupted = interrupted or threading.Event()
        self.deadline = deadline
        """Time by ``time.monotonic`` after which the run ends with OutOfTime."""
        self._seen = 0
        self._last_request: dict[str, float] = {}
        self._under_way = 0
        self._answered: list[Sent] = []
        self._watches: list[Sent] = []
        self._watches_end = inf
        """Time by ``time.monotonic`` at which the first watch of an operator ends because of its ``timeoutSeconds``."""
        self._found = Observation()

    def observe(
        self,
        is_settled: Callable[[int, State], bool] = lambda _, __: True,
        patience: Patience = Patience(),
        earlier_writes: int = 0,
    ) -> Observation:
        """Run the workload, and return what was observed.

        After each step, wait until the operators are idle and `is_settled` returns True, and record the objects. The
        arguments of `is_settled` are the number of the step and the objects. If it still returns False after the time
        that `patience` allows, the run ends with this step.

        `earlier_writes` is the number of writes to make before the setup: they increase all later resource versions. If
        a step fails, the run ends with this step, and the observation says why. Raises MemkubeError if the setup cannot
        be applied, and UsageError if an operator cannot be started.
        """
        found = self._found
        found.started = monotonic()
        clock = "stepped" if any(step.advance for step in self._workload) else "real"
        with TemporaryDirectory(prefix="memkube-hunt-") as folder, ExitStack() as stack:
            kube = stack.enter_context(Memkube(clock=clock, controllers=self._hunt.controllers))
            self._kube = kube
            self._workload_client = kube.user(_WORKLOAD_USER, groups=["system:masters"])
            self._is_stepped = clock == "stepped"
            for number in range(earlier_writes):
                value = None if number == earlier_writes - 1 else f"{number}"
                kube.patch("namespaces", "default", {"metadata": {"annotations": {ANNOTATION: value}}}, type="merge")
            self._history = History(running_of(kube).server.registry, self._invariants, self._hunt.ignore)
            self._apply(self._hunt.setup)
            self._processes = [self._process(one, Path(folder)) for one in self._hunt.operators]
            for process in self._processes:
                stack.callback(process.stop)
            self._disturbing = Disturbing(self._plan, kube, self._workload_client, self._processes, self)
            stack.callback(self._disturbing.close)
            self._disturbing.begin(START)
            for process in self._processes:
                if not process.is_away:
                    process.start()
            self._disturbing.watch()
            self._is_settled, self._patience = is_settled, patience
            self._carry_out()
            self._disturbing.close()
            self._collect()
        found.seconds = monotonic() - found.started
        return found

    def _carry_out(self) -> None:
        workload = self._workload
        last = len(workload) - 1
        for number in range(START, last + 1):
            if number != START:
                self._await_deletions(workload[number])
                self._do(workload[number])
            self._wait_until_quiet()
            self._found.step_ends.append(monotonic() - self._found.started)
            if self._disturbing.end(number, last=number == last):
                self._wait_until_quiet()
            if not self._is_right_after(number):
                return
            if number == START:
                continue
            self._disturbing.begin(number)
            # Some disturbances begin and end after the same step, such as a restart: end them now, and compare again.
            if self._disturbing.ends_with(number, last=number == last):
                self._wait_until_quiet()
                self._disturbing.end(number, last=number == last)
                self._wait_until_quiet()
                if not self._is_right_after(number):
                    return

    def _await_deletions(self, step: Step) -> None:
        """Before a step that applies manifests, let the operators complete deletions that a disturbance delays.

        For this, end all disturbances, and wait until the terminating objects are removed. Otherwise the step would
        update these objects, instead of creating them again after their removal.
        """
        if step.apply is None or not self._disturbing.lets_lag or not self._has_terminating():
            return
        self._disturbing.end(START, last=True)
        deadline = monotonic() + _BUSY_SECONDS
        while self._has_terminating() and monotonic() < deadline:
            self._wait_until_quiet()

    def _has_terminating(self) -> bool:
        metadata = (one["metadata"] for one in self._history.objects.values())
        return any("deletionTimestamp" in one and one.get("finalizers") for one in metadata)

    def _is_right_after(self, step: int) -> bool:
        """Check that the objects after a step are as in runs without faults. Return False if the run must end.

        The run must end if the objects differ, or if the operators failed or never stopped writing. While an active
        disturbance may delay the operators (`lets_lag`), differences are allowed.
        """
        found = self._found
        if not self._disturbing.lets_lag:
            self._look(step)
        elif self._is_settled(step, self._state()):
            self._note_expected()
        return not (found.busy or found.failure or found.wrong_step is not None)

    def _look(self, step: int) -> None:
        """Wait until the objects after a step equal those after the step in the runs without faults, and record them.

        If they are not equal in time, record the step as `wrong_step`.
        """
        found, patience = self._found, self._patience
        began = awake = monotonic()
        while True:
            state = found.states[step] = self._state()
            if found.busy or found.failure:
                return
            if self._is_settled(step, state):
                found.wrong_step = None
                self._note_expected()
                return
            now = monotonic()
            if not self._sleeps_for_good():
                awake = now
            if now - began > patience.seconds:
                is_first = found.wrong_step is None
                found.wrong_step = step
                found.has_waited = now - awake > _ASLEEP_SECONDS or now - began > self._longest_wait(began)
                if found.has_waited:
                    return
                if is_first:
                    self._collect()
                is_over = not patience.waits_on(found) if is_first else patience.is_enough(found)
                if is_over:
                    return
            sleep(_POLL_SECONDS * 5)
            self._tick()

    def _sleeps_for_good(self) -> bool:
        """Return True if the operators wait without a timer, and nothing in the cluster will wake them soon.

        Such operators never retry, so that a run need not wait for them any longer.
        """
        if self._under_way or self._watches_end < monotonic() + self._patience.longest:
            return False
        objects = self._history.objects.values()
        if any(one["kind"] in _TIMED or _ends_soon(one["metadata"]) for one in objects):
            return False
        return all(process.sleeps_for_good for process in self._processes)

    def _longest_wait(self, began: float) -> float:
        """Return for how many seconds the run waits on if the objects differ since `began` (``time.monotonic``)."""
        is_retry_due = self._retries_in() > 0 or monotonic() < began + self._hidden_delay()
        return self._patience.longest + (_MOST_RETRY_SECONDS if is_retry_due else 0)

    def _note_expected(self) -> None:
        self._found.expected_uids |= {str(one["metadata"]["uid"]) for one in self._history.objects.values()}

    def _hidden_delay(self) -> float:
        """Return for how many seconds an operator may wait for a retry that it has announced in no object.

        This is the longest delay that kopf (an operator framework) has logged. If an object has a finalizer of kopf, it
        is at least a minute, kopf's default after an error of a timer or daemon. This minimum does not apply if each
        disturbance kills or restarts the operator, because a new process does not wait.
        """
        logged = announced_delay(process.output for process in self._processes)
        is_killed = self._plan is not None and all(one.kills or one.restarts for one in self._plan.disturbances)
        finalizers = [
            name for one in self._history.objects.values() for name in one["metadata"].get("finalizers") or ()
        ]
        is_kopf = any(name.startswith(KOPF) for name in finalizers)
        return max(logged, _KOPF_BACKOFF_SECONDS) if is_kopf and not is_killed else logged

    def _retries_in(self) -> float:
        """Return the seconds until the last retry that kopf announces in annotations of objects; -inf for none.

        The number is negative if the retry was due before now.
        """
        now, found = datetime.now(UTC), [-inf]
        for document in self._history.objects.values():
            for name, value in document["metadata"].get("annotations", {}).items():
                delayed = _KOPF_DELAYED.search(value) if name.startswith(KOPF) else None
                if delayed:
                    instant = datetime.fromisoformat(delayed[1])
                    found.append((instant.replace(tzinfo=instant.tzinfo or UTC) - now).total_seconds())
        return max(found)

    def _do(self, step: Step) -> None:
        try:
            if step.apply is not None:
                self._apply([step.apply])
            elif step.patch is not None:
                target = step.patch
                manifest = {"apiVersion": target.apiVersion, "kind": target.kind}
                where = target.namespace or "default"
                plural = self._plural(manifest)
                self._workload_client.patch(plural, target.name, target.patch, type="merge", namespace=where)
            elif step.delete is not None:
                plural = self._plural({"apiVersion": step.delete.apiVersion, "kind": step.delete.kind})
                self._workload_client.delete(plural, step.delete.name, namespace=step.delete.namespace or "default")
            elif step.advance:
                self._kube.clock.advance(step.advance_seconds)
            else:
                self._command(step.run)
        except MemkubeError as error:
            self._found.failure = f"{step}: {error}"

    def _apply(self, manifests: Sequence[Any]) -> None:
        given = [one for entry in manifests for one in located(entry, self._hunt.folder)]
        if given:
            self._kube.apply(*given, force=True)

    def _plural(self, manifest: Document) -> str:
        plural = self._resources().get((manifest["apiVersion"], manifest["kind"]))
        if plural is None:
            raise UsageError(f"the server does not serve kind {manifest['kind']} of {manifest['apiVersion']}")
        return plural

    def _command(self, command: str) -> None:
        environment = {"KUBECONFIG": str(self._workload_client.kubeconfig)}
        try:
            done = subprocess.run(  # noqa: S602  a command for a shell, from the user's file
                command,
                shell=True,
                cwd=self._hunt.folder,
                env={**os.environ, **environment},
                capture_output=True,
                check=False,
                timeout=_COMMAND_SECONDS,
            )
        except subprocess.TimeoutExpired:
            self._found.failure = f"run {command}: it did not end within {_COMMAND_SECONDS:g} s"
            return
        if done.returncode:
            text = (done.stderr or done.stdout).decode(errors="replace").strip()
            self._found.failure = f"run {command}: exit status {done.returncode}: {text[-500:]}"

    def objects_of(self, resources: Sequence[str]) -> list[Reference]:
        """Return references to all objects of these resources that exist now, except leader-election locks."""
        known, found = self._resources(), []
        for document in self._history.objects.values():
            plural = known.get((document["apiVersion"], document["kind"]), "")
            if plural in resources and not is_record(document):
                metadata = document["metadata"]
                found.append(Reference(plural, metadata.get("namespace", ""), metadata["name"]))
        return found

    def last_deletion(self, resources: Sequence[str], step: int) -> int | None:
        """Return the last revision within a step at which an object of these resources had a deletionTimestamp.

        Return None if there was none.
        """
        begin, end = (self._found.started + seconds for seconds in self._found.step_ends[step : step + 2])
        known = self._resources()
        for change in reversed(self._history.changes):
            if begin <= change.seconds <= end and change.is_of_terminating and change.resource_in(known) in resources:
                return int(change.document["metadata"]["resourceVersion"])
        return None

    def _resources(self) -> dict[tuple[str, str], str]:
        """Return the resource of each kind that is served, such as ``deployments.apps``, by apiVersion and kind."""
        catalog = running_of(self._kube).server.registry.catalog
        return {(one.api_version, one.kind): qualified(one.plural, one.group) for one in catalog}

    def _kinds(self) -> dict[str, str]:
        """Return the kind of each resource that is served, such as ``deployments.apps``."""
        return {resource: kind for (_, kind), resource in self._resources().items()}

    def is_intact(self, reference: Reference) -> bool:
        """Return True if the operator has not removed the annotation `ANNOTATION` from the object.

        An object that no longer exists counts as intact.
        """
        self._tick()
        kinds = self._kinds()
        for document in self._history.objects.values():
            metadata = document["metadata"]
            named = (metadata.get("namespace", ""), metadata["name"]) == (reference.namespace, reference.name)
            if named and document["kind"] == kinds.get(reference.resource):
                return ANNOTATION in metadata.get("annotations", {})
        return True

    def leases(self) -> list[Document]:
        """Return the Leases, and other leader-election locks, that the operators hold."""
        names = {(one.resource, one.name) for one in self._answered if one.is_write}
        found = [one for one in self._history.objects.values() if _record_name(one) in names]
        return [one for one in found if holder(one)]

    def wait(self, seconds: float) -> None:
        """Wait for `seconds` of real time, and keep recording changes of objects and requests of operators."""
        end = monotonic() + seconds
        while monotonic() < end:
            self._tick()
            sleep(_POLL_SECONDS)

    def _wait_until_quiet(self) -> None:
        """Wait until the operators are ready, and no object has been written for the hunt's `quiet` seconds.

        If the operators never stop writing, record the reason as `busy`, unless an active disturbance may delay them
        (`lets_lag`).
        """
        began = worked = unready = monotonic()
        newest, calm, idle_since = self._history.last_change, 0, began
        while True:
            quiet = self._quiet_seconds()
            self._tick()
            now, changed = monotonic(), self._history.last_change
            if changed > began and changed > newest:
                gap = changed - max(newest, began, min(worked, changed))
                self._found.longest_gap = max(self._found.longest_gap, gap)
                newest = changed
            waiting_for = self._unready(now)
            if waiting_for:
                unready = now
            active = max(changed, unready)
            if (self._under_way or self._is_working()) and not self._is_polling(active):
                worked = now
            earlier, idle_since = idle_since, max(active, min(worked, active + _WORKING_SECONDS))
            calm = calm + 1 if idle_since == earlier else 0
            is_quiet = calm >= _CALM_POLLS and now - idle_since >= quiet
            if is_quiet and not waiting_for and not self._under_way:
                if now - began < _PROBING_SECONDS and self._has_unprobed_pods():
                    unready = now
                    continue
                retry = now + self._retries_in()
                if retry > began + _ANNOUNCED_SECONDS or now - retry >= quiet:
                    return
            is_lost = any(process.recent_exits >= _MOST_EXITS for process in self._processes)
            is_late = now - began > _READY_SECONDS if waiting_for else now - unready > _BUSY_SECONDS
            if is_late and not is_lost and not waiting_for and self._disturbing.lets_lag:
                # The operator sees outdated objects, and may repeat its writes until the disturbance ends: this is no
                # livelock.
                return
            if is_lost or is_late:
                codes = [code for process in self._processes for code in process.exits]
                ends = f"the operator ends again and again, with exit status {codes[-1]}" if is_lost else ""
                self._found.busy = ends or waiting_for or self._repeated_requests(began)
                return
            sleep(_POLL_SECONDS)

    def _quiet_seconds(self) -> float:
        """Return after how many seconds without changes a step is over."""
        is_away = all(process.is_away for process in self._processes)
        is_long = self._plan is not None and self._plan.begins_late and not is_away
        return self._hunt.quiet_seconds if is_long else self._quiet

    def _has_unprobed_pods(self) -> bool:
        """Return True if a pod is not ready yet only because its probes have not had time to succeed."""
        now = self._kube.clock.now()
        pods = [one for one in self._history.objects.values() if one["kind"] == "Pod"]
        return any(seconds_until_ready(pod, now) > 0 for pod in pods)

    def _is_working(self) -> bool:
        return any(process.is_working for process in self._processes)

    def _is_polling(self, since: float) -> bool:
        """Return True if the operators have sent the same read several times since `since` (``time.monotonic``).

        Such an operator polls, and uses CPU time even if it has nothing to do. So CPU time does not show that it is
        still working.
        """
        records = {name for one in self._history.objects.values() if (name := _record_name(one))}
        reads: Counter[str] = Counter()
        for request in reversed(self._answered):
            if request.seconds + self._found.started < since:
                break
            if request.verb in ("get", "list") and (request.resource, request.name) not in records:
                reads[request.path] += 1
        return max(reads.values(), default=0) >= _POLLS

    def _unready(self, now: float) -> str:
        """Return a message that names the first operator without a request since its start; "" if there is none."""
        for process, operator in zip(self._processes, self._hunt.operators, strict=True):
            if not process.is_away and self._last_request.get(operator.identity, 0.0) <= process.started:
                return f"operator {operator.identity} has sent no request since it was started"
        return ""

    def _tick(self) -> None:
        """Record the changes and requests since the last call, and restart operators that have exited by themselves."""
        if self._interrupted.is_set():
            raise Interrupted
        if monotonic() > self.deadline:
            raise OutOfTime
        self._call(self._history.read())
        self._call(self._take_requests())
        self._disturbing.tick()
        for process in self._processes:
            if process.recent_exits < _MOST_EXITS:
                process.revive()
        if self._is_stepped:
            self._kube.clock.advance(0.1)

    async def _take_requests(self) -> None:
        log = running_of(self._kube).server.parts.request_log
        users = self._hunt.users
        answered = log.newer(self._seen)
        self._seen = answered[0].number if answered else self._seen
        flying = [record for record in log.in_flight() if record.user.name in users]
        for record in (*reversed(answered), *flying):
            if identity := users.get(record.user.name):
                self._last_request[identity] = max(self._last_request.get(identity, 0.0), record.arrived)
        self._answered += [self._sent(one) for one in reversed(answered) if one.user.name in users]
        self._watches = [self._sent(one) for one in flying if one.verb == "watch"]
        self._watches_end = min(
            (
                record.arrived + float(timeout[1])
                for record in flying
                if record.verb == "watch" and (timeout := _TIMEOUT.search(record.query))
            ),
            default=inf,
        )
        held = self._disturbing.holds
        self._under_way = sum(
            1 for record in flying if record.verb != "watch" and held.isdisjoint(record.fault.split(","))
        )

    def _sent(self, record: RequestRecord) -> Sent:
        target = record.target
        resource = "/".join(filter(None, (target.resource, target.subresource)))
        seconds = record.arrived - self._found.started
        is_any = record.verb == "list" and b"resourceVersion=0" in record.query.split(b"&")
        is_page = record.verb == "list" and b"continue=" in record.query
        fields = (seconds, record.verb, target.group, resource, record.name, record.code, record.fault)
        is_json_patch = record.content_type.startswith("application/json-patch")
        return Sent(*fields, is_any, is_page, is_json_patch, f"{record.path}?{record.query.decode('latin-1')}")

    def _repeated_requests(self, began: float) -> str:
        """Return a text about the operators' most frequent writes since `began`, a time by ``time.monotonic``."""
        since = began - self._found.started
        writes = Counter(
            f"{one.verb} {one.resource} {one.name}".strip()
            for one in self._answered
            if one.is_write and one.seconds > since
        )
        text = ", ".join(f"{name} ({times} times)" for name, times in writes.most_common(3))
        return f"it writes again and again: {text or 'objects change without requests of the operator'}"

    def _process(self, operator: Any, folder: Path) -> OperatorProcess:
        user = self._kube.user(operator.identity, groups=["system:masters"])
        kubeconfig = folder / f"{operator.identity}.kubeconfig"
        kubeconfig.write_text(user.kubeconfig_content)
        return OperatorProcess(operator, self._hunt.folder, kubeconfig, folder / f"{operator.identity}.log")

    def _state(self) -> State:
        return end_state(list(self._history.objects.values()), self._hunt.ignore)

    def _collect(self) -> None:
        found = self._found
        self._tick()
        found.sent = [*self._answered, *self._watches]
        found.counts, found.violated = self._history.counts(), self._history.violated
        found.changes, found.resources = self._history.changes, self._resources()
        kinds = self._kinds()
        created = {(qualified(one.resource, one.group), one.name) for one in found.sent if one.code == _CREATED}
        found.created = {(kinds[resource], name) for resource, name in created if resource in kinds}
        found.exits = [code for process in self._processes for code in process.exits]
        found.hit = self._disturbing.hit
        found.overwritten = [f"{one.resource} {one.name}" for one in self._disturbing.lost]
        found.records = {name for one in self._history.objects.values() if (name := _record_name(one))}
        found.lease_seconds = max(map(lasting, self.leases()), default=0.0)
        found.retries_in = max(self._retries_in(), 0.0)
        found.lags_since = self._disturbing.lags_since
        found.usurped = [
            one
            for one in found.sent
            if one.is_write and 0 < one.code < _REFUSED and one.resource != "events"
            if (one.resource, one.name) not in found.records and one.resource != "leases"
            for begin, end in self._disturbing.leaderless
            if begin <= one.seconds + found.started <= end
        ]
        found.output = "\n".join(process.output for process in self._processes)
        found.last_output = "\n".join(process.output_since_start for process in self._processes)
        if not found.busy and any(process.recent_exits >= _MOST_EXITS for process in self._processes):
            found.busy = f"the operator ends again and again, with exit status {found.exits[-1]}"

    def _call(self, work: Coroutine[Any, Any, T]) -> T:
        running = running_of(self._kube)
        return running.result(running.submit(work), 30.0)
