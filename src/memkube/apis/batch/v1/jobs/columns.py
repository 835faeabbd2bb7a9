from datetime import datetime
from typing import Final

from memkube.apimachinery.duration import human_age
from memkube.apimachinery.model import Document
from memkube.apis.core.v1.podspec.container_columns import CONTAINER_COLUMNS, container_cells, selector_cell
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, Elapsed, age, column

_ENDS: Final = ("Complete", "Failed")
_STATES: Final = ("Suspended", "FailureTarget", "SuccessCriteriaMet")


def _cells(job: Document) -> Cells:
    spec = job["spec"]
    return [
        job["metadata"].get("name", ""),
        _state(job),
        _completions(job),
        _duration(job["status"]),
        age(job),
        *container_cells(spec["template"]),
        selector_cell(spec.get("selector")),
    ]


def _state(job: Document) -> str:
    first = {condition["type"]: condition for condition in reversed(job["status"].get("conditions") or [])}
    true = {name for name, condition in first.items() if condition["status"] == "True"}
    for end in _ENDS:
        if end in true:
            return end
    if job["metadata"].get("deletionTimestamp"):
        return "Terminating"
    return next((state for state in _STATES if state in true), "Running")


def _completions(job: Document) -> str:
    spec, succeeded = job["spec"], job["status"].get("succeeded", 0)
    if spec.get("completions") is not None:
        return f"{succeeded}/{spec['completions']}"
    parallelism = spec.get("parallelism", 0)
    return f"{succeeded}/1 of {parallelism}" if parallelism > 1 else f"{succeeded}/1"


def _duration(status: Document) -> str | Elapsed:
    started, completed = status.get("startTime"), status.get("completionTime")
    if not started:
        return ""
    return human_age(started, datetime.fromisoformat(completed)) if completed else Elapsed(started)


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Status", "State of the job."),
        column("Completions", "Number of pods that succeeded, and the desired number."),
        column("Duration", "Duration of the job, so far or in total."),
        AGE,
        *CONTAINER_COLUMNS,
        column("Selector", "Label selector of the pods.", wide=True),
    ),
    _cells,
)
