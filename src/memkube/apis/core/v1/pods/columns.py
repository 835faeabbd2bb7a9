"""Table columns of Pods, and the summary of a pod's containers in these columns (``printers.go``)."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import AGE, NAME, Column, Elapsed, Row, TablePrinter, age, column

_NONE: Final = "<none>"
_ENDED: Final = {
    phase: [{"type": "Completed", "status": "True", "reason": phase, "message": message}]
    for phase, message in (("Succeeded", "The pod has completed successfully."), ("Failed", "The pod failed."))
}


@dataclass(frozen=True, slots=True)
class PodSummary:
    """Summary of a pod's containers in the table columns Ready, Status and Restarts."""

    ready: int
    containers: int
    state: str
    restarts: int
    last_restart: str
    """Time at which a container last ended before a restart; empty if unknown."""


@dataclass(slots=True)
class _Restarts:
    count: int = 0
    last: str = ""

    def add(self, container: Document) -> None:
        self.count += container.get("restartCount", 0)
        ended = (container.get("lastState") or {}).get("terminated")
        if ended is not None:
            # The latest time is the greatest string, because all timestamps are in UTC and have the same width.
            self.last = max(self.last, ended.get("finishedAt") or "")


@dataclass(slots=True)
class _Tally:
    """Numbers of ready and restarted containers of a pod, counted while its container statuses are visited."""

    state: str
    ready: int = 0
    initializing: bool = False
    restarts: _Restarts = field(default_factory=_Restarts)
    sidecar_restarts: _Restarts = field(default_factory=_Restarts)


def summary_of(pod: Document) -> PodSummary:
    """Return the summary of a pod's containers. `pod` is the pod as a JSON document."""
    spec, status = pod["spec"], pod["status"]
    init_containers = spec.get("initContainers") or ()
    sidecars = {c["name"] for c in init_containers if c.get("restartPolicy") == "Always"}
    tally = _Tally(_state_of_pod(status))
    _count_init_containers(tally, status, sidecars, len(init_containers))
    if not tally.initializing or _is_initialized(status):
        tally.restarts = tally.sidecar_restarts
        _count_containers(tally, status)
    return PodSummary(
        ready=tally.ready,
        containers=len(spec.get("containers") or ()) + len(sidecars),
        state=_state_of_deletion(pod) or tally.state,
        restarts=tally.restarts.count,
        last_restart=tally.restarts.last,
    )


def _state_of_pod(status: dict[str, Any]) -> str:
    for condition in status.get("conditions") or ():
        if condition["type"] == "PodScheduled" and condition.get("reason") == "SchedulingGated":
            return "SchedulingGated"
    state: str = status.get("reason") or status.get("phase", "")
    return state


def _state_of_deletion(pod: Document) -> str:
    status = pod["status"]
    if not pod["metadata"].get("deletionTimestamp"):
        return ""
    if status.get("reason") == "NodeLost":
        return "Unknown"
    return "" if status.get("phase") in ("Succeeded", "Failed") else "Terminating"


def _count_init_containers(tally: _Tally, status: dict[str, Any], sidecars: AbstractSet[str], total: int) -> None:
    """Add the restarts of init containers and the ready sidecars to `tally`, and set the state of a pod in startup.

    The init containers are visited in order, up to the first one that has not succeeded and is not a started sidecar.
    Its state becomes the pod's, such as ``Init:1/3``. `status` is the pod's status, `sidecars` has the names of the
    init containers that keep running, and `total` is the number of all init containers.
    """
    for index, container in enumerate(status.get("initContainerStatuses") or ()):
        tally.restarts.add(container)
        is_sidecar = container["name"] in sidecars
        if is_sidecar:
            tally.sidecar_restarts.add(container)
        state = container.get("state") or {}
        ended, waiting = state.get("terminated"), (state.get("waiting") or {}).get("reason")
        if ended is not None and not ended.get("exitCode"):
            continue
        if is_sidecar and container.get("started"):
            tally.ready += bool(container.get("ready"))
            continue
        tally.initializing = True
        if ended is not None:
            tally.state = f"Init:{_end(ended)}"
        elif waiting and waiting != "PodInitializing":
            tally.state = f"Init:{waiting}"
        else:
            tally.state = f"Init:{index}/{total}"
        return


def _count_containers(tally: _Tally, status: dict[str, Any]) -> None:
    """Count the ready and restarted containers of a pod in `tally`, and set its state, the table column Status.

    The containers are visited in reverse order, so that the state is that of the first container with a problem.
    """
    running, failure = False, ""
    for container in reversed(status.get("containerStatuses") or ()):
        tally.restarts.add(container)
        state = container.get("state") or {}
        ended, waiting = state.get("terminated"), (state.get("waiting") or {}).get("reason")
        if waiting:
            tally.state = waiting
        elif ended is not None:
            tally.state = _end(ended)
            if ended.get("exitCode"):
                failure = tally.state
        elif container.get("ready") and state.get("running") is not None:
            running = True
            tally.ready += 1
    if tally.state == "Completed":
        tally.state = _state_of_partly_completed(status, running, failure)


def _state_of_partly_completed(status: dict[str, Any], running: bool, failure: str) -> str:
    if running and any(c["type"] == "Ready" and c["status"] == "True" for c in status.get("conditions") or ()):
        return "Running"
    return failure or ("NotReady" if running else "Completed")


def _end(ended: dict[str, Any]) -> str:
    if reason := ended.get("reason"):
        return str(reason)
    return f"Signal:{ended['signal']}" if ended.get("signal") else f"ExitCode:{ended.get('exitCode', 0)}"


def _is_initialized(status: dict[str, Any]) -> bool:
    conditions = status.get("conditions") or ()
    return next((c["status"] == "True" for c in conditions if c["type"] == "Initialized"), False)


class PodPrinter:
    """Prints Pods as table rows for ``kubectl get pods``."""

    columns: Sequence[Column] = (
        NAME,
        column("Ready", "Number of ready containers, and of all long-running ones."),
        column("Status", "State of the pod, or the reason why it does not run."),
        column("Restarts", "Number of container restarts, and time since the last one."),
        AGE,
        column("IP", "First address of the pod.", wide=True),
        column("Node", "Node that the pod is bound to.", wide=True),
        column("Nominated Node", "Node on which lower-priority pods are evicted for the pod.", wide=True),
        column("Readiness Gates", "Number of readiness gates with a True condition, and of all.", wide=True),
    )
    rows_of_none: str = "[]"

    def row(self, document: Document) -> Row:
        spec, status = document["spec"], document["status"]
        summary = summary_of(document)
        addresses = status.get("podIPs") or [{"ip": ""}]
        cells = [
            document["metadata"].get("name", ""),
            f"{summary.ready}/{summary.containers}",
            summary.state,
            _restarts(summary),
            age(document),
            addresses[0].get("ip") or _NONE,
            spec.get("nodeName") or _NONE,
            status.get("nominatedNodeName") or _NONE,
            _readiness_gates(spec, status),
        ]
        return Row(cells, _ENDED.get(status.get("phase", ""), ()))


def _restarts(summary: PodSummary) -> str | Elapsed:
    if not summary.restarts or not summary.last_restart:
        return str(summary.restarts)
    return Elapsed(summary.last_restart, f"{summary.restarts} ({{}} ago)")


def _readiness_gates(spec: Document, status: Document) -> str:
    gates = spec.get("readinessGates")
    if not gates:
        return _NONE
    true: dict[str, bool] = {}
    for condition in status.get("conditions") or ():
        true.setdefault(condition["type"], condition["status"] == "True")
    return f"{sum(true.get(gate['conditionType'], False) for gate in gates)}/{len(gates)}"


PRINTER: Final[TablePrinter] = PodPrinter()
