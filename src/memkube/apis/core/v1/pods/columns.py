"""Tables of Pods."""

from collections.abc import Sequence
from typing import Final

from memkube.apimachinery.meta.v1.table import TableColumnDefinition
from memkube.apimachinery.model import Document
from memkube.apis.core.v1.pods.summary import PodSummary, summary_of
from memkube.registry.table import AGE, NAME, Elapsed, Row, TablePrinter, age, column

_NONE: Final = "<none>"
_ENDED: Final = {
    phase: [{"type": "Completed", "status": "True", "reason": phase, "message": message}]
    for phase, message in (("Succeeded", "The pod has completed successfully."), ("Failed", "The pod failed."))
}


class PodPrinter:
    """Shows pods as ``kubectl get pods`` knows them."""

    columns: Sequence[TableColumnDefinition] = (
        NAME,
        column("Ready", "Containers that are ready, and all that run as long as the pod does."),
        column("Status", "What the pod is doing, or what keeps it from that."),
        column("Restarts", "Restarts of the containers, and the time since the last."),
        AGE,
        column("IP", "First address of the pod.", wide=True),
        column("Node", "Node that the pod is bound to.", wide=True),
        column("Nominated Node", "Node on which room is made for the pod.", wide=True),
        column("Readiness Gates", "Readiness gates whose condition is true, and all.", wide=True),
    )

    def row(self, document: Document) -> Row:
        """See TablePrinter."""
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
