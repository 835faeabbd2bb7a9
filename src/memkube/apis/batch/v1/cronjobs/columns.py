from typing import Final

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.podspec.container_columns import (
    CONTAINER_COLUMNS,
    SELECTOR_COLUMN,
    container_cells,
    selector_cell,
)
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, Elapsed, age, column

_NONE: Final = "<none>"


def _cells(cron_job: Document) -> Cells:
    spec, status = cron_job["spec"], cron_job["status"]
    last, zone, suspend = status.get("lastScheduleTime"), spec.get("timeZone"), spec.get("suspend")
    job_spec = spec["jobTemplate"]["spec"]
    return [
        cron_job["metadata"].get("name", ""),
        spec.get("schedule", ""),
        _NONE if zone is None else zone,
        "<unset>" if suspend is None else str(suspend),
        len(status.get("active") or ()),
        Elapsed(last) if last else _NONE,
        age(cron_job),
        *container_cells(job_spec["template"]),
        selector_cell(job_spec.get("selector")),
    ]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Schedule", "Schedule in cron syntax."),
        column("Timezone", "Time zone of the schedule."),
        column("Suspend", "Whether the creation of jobs is suspended.", cell_type="boolean"),
        column("Active", "Number of jobs that are running.", cell_type="integer"),
        column("Last Schedule", "Time since a job was last scheduled."),
        AGE,
        *CONTAINER_COLUMNS,
        SELECTOR_COLUMN,
    ),
    _cells,
)
