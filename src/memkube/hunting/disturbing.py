"""Applies the disturbances of a plan to a run: injects faults, kills operators and takes over their Leases."""

import threading
from collections.abc import Coroutine, Sequence
from time import monotonic, sleep
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from memkube.apimachinery.model import Document
from memkube.cluster.synchronous import Memkube, running_of
from memkube.cluster.users import User
from memkube.control.faults import add_fault, remove_fault
from memkube.errors import MemkubeError
from memkube.faults.active import ActiveFault
from memkube.faults.rules import FaultRule
from memkube.hunting.election import RESOURCES, held_by, lasting, released
from memkube.hunting.plan import Disturbance, Plan
from memkube.hunting.process import OperatorProcess

T = TypeVar("T")
ANNOTATION: Final = "another-writer"
"""Annotation that a disturbance sets on an object as another client would, while an operator works with the object."""
_KILL_POLL_SECONDS: Final = 0.001
_RENEW_SECONDS: Final = 1.0
_DEFAULT_LEASE_SECONDS: Final = 15
_MARGIN_SECONDS: Final = 2.0


class Reference(NamedTuple):
    """A reference to an object in the cluster, by resource, namespace and name."""

    resource: str
    """Plural name of the resource, with its group, such as ``deployments.apps``."""
    namespace: str
    name: str


class Disturbed(Protocol):
    """The methods of a run of the workload that `Disturbing` calls."""

    def leases(self) -> list[Document]:
        """Return the Leases, and other leader-election locks, that the operators hold."""

    def wait(self, seconds: float) -> None:
        """Wait for `seconds` of real time, and keep recording changes of objects and requests of operators."""

    def objects_of(self, resources: Sequence[str]) -> list[Reference]:
        """Return references to all objects of these resources that exist now."""

    def last_deletion(self, resources: Sequence[str], step: int) -> int | None:
        """Return the last revision within a step at which an object of these resources had a deletionTimestamp.

        Return None if there was none.
        """

    def is_intact(self, reference: Reference) -> bool:
        """Return True if the operator has not removed the annotation `ANNOTATION` from the object.

        An object that no longer exists counts as intact.
        """


class Disturbing:
    """Applies the disturbances of a plan, such as faults and restarts of operators, to a run of the workload.

    The plan says after which steps of the workload each disturbance begins and ends.
    """

    def __init__(
        self, plan: Plan | None, kube: Memkube, client: User, processes: Sequence[OperatorProcess], run: Disturbed
    ) -> None:
        """Prepare the disturbances of `plan`. `client` writes what another client than the operator writes."""
        self._planned = plan.disturbances if plan else []
        self._kube = kube
        self._client = client
        self._processes = processes
        self._run = run
        self._active: dict[int, list[ActiveFault]] = {}
        self._views: dict[int, list[ActiveFault]] = {}
        self._removed_at: dict[int, float] = {}
        self._taken: list[Document] = []
        self._renewed = 0.0
        self._annotated: dict[int, list[Reference]] = {}
        self.lost: list[Reference] = []
        """Objects from which the operator removed an annotation that another client made before its write."""
        self.hit: set[int] = set()
        """Numbers of the disturbances that did something to the operator."""
        self._done = threading.Event()
        self._killer = threading.Thread(target=self._kill_when_hit, daemon=True)
        self.leaderless: list[tuple[float, float]] = []
        """Beginning and end, by ``time.monotonic``, of each period in which another process held the operators' leases.
        """
        self._leaderless_since = 0.0
        self.lags_since: float | None = None
        """Time by ``time.monotonic`` at which the first disturbance with `lets_lag` began; None if none has begun."""

    def watch(self) -> None:
        """Start a thread that kills and restarts operators when their requests hit a fault, if the plan says so.

        The thread runs until `close`.
        """
        self._killer.start()

    def close(self) -> None:
        """Stop the thread that `watch` has started."""
        self._done.set()
        if self._killer.is_alive():
            self._killer.join()

    @property
    def lets_lag(self) -> bool:
        """True if an active disturbance may delay the operators, so that the expected objects need not exist yet."""
        return any(self._planned[number].lets_lag for number in self._active)

    @property
    def holds(self) -> set[str]:
        """Names of the injected faults that now delay requests of operators."""
        return {fault.name for faults in self._active.values() for fault in faults if _is_delay(fault)}

    def begin(self, step: int) -> None:
        """Begin all disturbances that the plan declares to begin after this step of the workload."""
        for number, disturbance in enumerate(self._planned):
            if disturbance.view == step and not disturbance.view_of_deletion:
                self._views[number] = [self._add(_view(disturbance))]
        for number, disturbance in enumerate(self._planned):
            if disturbance.after == step:
                self._begin(number, disturbance)

    def end(self, step: int, last: bool) -> bool:
        """End the active disturbances that end after this step of the workload, or all of them if `last` is true.

        Return True if the operator may still have to react to the end of a disturbance.
        """
        due = [number for number in self._active if last or self._planned[number].until == step]
        for number in due:
            self._end(number)
        return any(not self._planned[number].is_brief for number in due)

    def ends_with(self, step: int, last: bool) -> bool:
        """Return True if a disturbance is active that ends after this step of the workload.

        If `last` is True, this is the last step, after which every active disturbance ends.
        """
        return any(last or self._planned[number].until == step for number in self._active)

    def tick(self) -> None:
        """End each disturbance whose duration has passed, and renew the Leases that were taken from operators."""
        now = monotonic()
        for number, instant in list(self._removed_at.items()):
            if number in self._active and now >= instant:
                self._end(number)
        if self._taken and now - self._renewed > _RENEW_SECONDS:
            self._hold_leases()

    def _begin(self, number: int, disturbance: Disturbance) -> None:
        if disturbance.lets_lag and self.lags_since is None:
            self.lags_since = monotonic()
        if disturbance.view is not None and disturbance.view_of_deletion:
            revision = self._run.last_deletion(_resources(disturbance), disturbance.view)
            self._views[number] = [] if revision is None else [self._add(_view(disturbance, revision))]
        self._active[number] = [] if disturbance.fault is None else [self._add(disturbance.fault)]
        self._removed_at[number] = monotonic() + disturbance.lasts if disturbance.lasts else float("inf")
        if disturbance.restarts or disturbance.stops or disturbance.pauses:
            self.hit.add(number)
        for process in self._processes:
            if disturbance.stops:
                process.kill()
            elif disturbance.restarts:
                process.restart()
            elif disturbance.pauses:
                process.pause()
        if disturbance.touches:
            self._annotate(number, self._run.objects_of(disturbance.touches))
        if disturbance.takes_lease:
            self._take_leases(number)

    def _end(self, number: int) -> None:
        disturbance = self._planned[number]
        if disturbance.relists:
            self._kube.faults.compact_history()
            for resource in _resources(disturbance) or ["*"]:
                self._kube.faults.close_watches(expired=True, resource=resource)
        faults, views = self._active.pop(number), self._views.pop(number, [])
        # A disturbance that shows an older state has had an effect only if the operator has read that state.
        deciding = faults if disturbance.view is None else views
        if any(fault.hits for fault in deciding):
            self.hit.add(number)
        for fault in (*faults, *views):
            self._remove(fault)
        annotated = self._annotated.pop(number, ())
        if disturbance.races:
            self.lost += [reference for reference in annotated if not self._run.is_intact(reference)]
        for reference in annotated:
            self._patch_annotation(reference, None)
        if disturbance.takes_lease:
            self._release_leases()
        for process in self._processes:
            process.forgive()
            if disturbance.stops or disturbance.stays_away:
                process.start()
            elif disturbance.pauses:
                process.resume()

    def _add(self, fault: dict[str, Any]) -> ActiveFault:
        rule = FaultRule.model_validate(fault)

        async def added() -> ActiveFault:
            return add_fault(running_of(self._kube).server.registry, rule)

        return self._call(added())

    def _remove(self, fault: ActiveFault) -> None:
        async def removed() -> None:
            if not fault.is_removed:
                remove_fault(running_of(self._kube).server.registry, fault.name)

        self._call(removed())

    def _kill_when_hit(self) -> None:
        """Until `close` is called, wait until the fault of an active disturbance hits a request, and react at once.

        For a disturbance with `kills`, kill all operators and start them again. If it also has `stays_away`, only kill
        them: they are started when the disturbance ends. For a disturbance with `races`, kill no operator, but annotate
        the object of the delayed request, and then let the request continue.
        """
        seen: set[int] = set()
        while not self._done.wait(_KILL_POLL_SECONDS):
            for number, faults in list(self._active.items()):
                disturbance = self._planned[number]
                is_new = number not in seen and any(fault.hits for fault in faults)
                if not is_new or not (disturbance.kills or disturbance.races):
                    continue
                seen.add(number)
                self.hit.add(number)
                if disturbance.races:
                    self._write_between(number, faults)
                    continue
                self._await_effect()
                for process in self._processes:
                    if not disturbance.stays_away:
                        process.restart()
                        continue
                    process.kill()
                    if number not in self._active:
                        # The disturbance has ended meanwhile. `_end` may have started the operator before it was killed
                        # here, so start it again.
                        process.start()

    def _write_between(self, number: int, faults: Sequence[ActiveFault]) -> None:
        """Annotate the object that a delayed request of the operator is about to write, then let the request continue.

        So the request is based on an outdated object. `number` is the number of the disturbance. `faults` are its
        faults, which delay the request: removing them lets it continue.
        """
        names = {fault.name for fault in faults}

        async def held() -> list[Reference]:
            log = running_of(self._kube).server.parts.request_log
            targets = [one.target for one in log.in_flight() if names & {*one.fault.split(",")}]
            return [
                Reference(".".join(filter(None, (one.resource, one.group))), one.namespace, one.name) for one in targets
            ]

        self._annotate(number, self._call(held()))
        for fault in faults:
            self._remove(fault)

    def _annotate(self, number: int, references: Sequence[Reference]) -> None:
        found = [reference for reference in references if self._patch_annotation(reference, "was here")]
        if found:
            self.hit.add(number)
        self._annotated[number] = found

    def _patch_annotation(self, reference: Reference, value: str | None) -> bool:
        """Set the annotation `ANNOTATION` of an object to `value`; None removes it. Return False if the patch fails."""
        patch = {"metadata": {"annotations": {ANNOTATION: value}}}
        try:
            self._client.patch(
                reference.resource, reference.name, patch, type="merge", namespace=reference.namespace or "default"
            )
        except MemkubeError:
            return False
        return True

    def _await_effect(self) -> None:
        """Wait until the server has handled the request to which the fault was applied.

        If the operator were killed earlier, its disconnect could prevent the write.
        """

        async def is_under_way() -> bool:
            log = running_of(self._kube).server.parts.request_log
            return any(record.fault for record in log.in_flight() if record.verb != "watch")

        while self._call(is_under_way()) and not self._done.is_set():
            sleep(_KILL_POLL_SECONDS)

    def _take_leases(self, number: int) -> None:
        """Take over the operators' leases, for the disturbance `number` of the plan.

        Write another holder into the leases, and wait until the operators must have stopped acting as leaders.
        """
        self._taken = self._run.leases()
        if not self._taken:
            return
        self.hit.add(number)
        self._hold_leases()
        seconds = [lasting(one) or _DEFAULT_LEASE_SECONDS for one in self._taken]
        self._run.wait(max(seconds) + _MARGIN_SECONDS)
        self._leaderless_since = monotonic()

    def _hold_leases(self) -> None:
        self._renewed = monotonic()
        for lease in self._taken:
            self._patch(lease, held_by(lease, "another-process"))

    def _release_leases(self) -> None:
        if self._leaderless_since:
            self.leaderless.append((self._leaderless_since, monotonic()))
        taken, self._taken = self._taken, []
        for lease in taken:
            self._patch(lease, released(lease))

    def _patch(self, lease: Document, patch: Document) -> None:
        resource, metadata = RESOURCES[lease["kind"]], lease["metadata"]
        try:
            self._client.patch(resource, metadata["name"], patch, type="merge", namespace=metadata["namespace"])
        except MemkubeError:
            # If the patch of a Lease fails, the operator has deleted the Lease to give up leadership. Such a Lease is
            # not renewed.
            self._taken = [one for one in self._taken if one is not lease]

    def _call(self, work: Coroutine[Any, Any, T]) -> T:
        running = running_of(self._kube)
        return running.result(running.submit(work), 30.0)


def _is_delay(fault: ActiveFault) -> bool:
    return fault.rule.effect.type == "delay"


def _resources(disturbance: Disturbance) -> list[str]:
    """Return the resources that the fault of a disturbance matches, such as ``deployments.apps``."""
    return list((disturbance.fault or {}).get("match", {}).get("resources") or ())


def _view(disturbance: Disturbance, revision: int | None = None) -> dict[str, Any]:
    """Return a fault rule that lets gets and lists with resourceVersion=0 return the objects as of `revision`.

    If `revision` is None, it is the newest revision at the time when the rule is added. The rule applies to the
    resources that the fault of `disturbance` matches.
    """
    match = {**(disturbance.fault or {}).get("match", {}), "verbs": ["list", "get"]}
    effect = {"type": "staleReads", "onlyAny": True, "mayGoBack": True, "revision": revision}
    return {"match": match, "effect": effect}
