from datetime import UTC, datetime
from typing import Any

import pytest

from memkube.apis.batch.v1.jobs.columns import PRINTER


@pytest.mark.parametrize(
    ("spec", "status", "cells"),
    [
        ({"completions": 3}, {"succeeded": 1, "startTime": "2026-01-01T00:00:05Z"}, ["Running", "1/3", "55s"]),
        ({"parallelism": 2}, {}, ["Running", "0/1 of 2", ""]),
        ({"parallelism": 1}, {"conditions": [{"type": "Suspended", "status": "True"}]}, ["Suspended", "0/1", ""]),
        (
            {"parallelism": 1},
            {"conditions": [{"type": "Suspended", "status": status} for status in ("False", "True")]},
            ["Running", "0/1", ""],
        ),
        (
            {"completions": 1},
            {
                "succeeded": 1,
                "startTime": "2026-01-01T00:00:05Z",
                "completionTime": "2026-01-01T00:00:15Z",
                "conditions": [{"type": "Complete", "status": "True"}],
            },
            ["Complete", "1/1", "10s"],
        ),
    ],
)
def test_a_job_shows_how_far_it_is(spec: dict[str, Any], status: dict[str, Any], cells: list[str]) -> None:
    metadata = {"name": "work", "creationTimestamp": "2026-01-01T00:00:00Z"}
    template = {"spec": {"containers": [{"name": "app", "image": "nginx:1.27"}]}}
    job = {"metadata": metadata, "spec": {"template": template, **spec}, "status": status}
    shown = PRINTER.row(job).at(datetime(2026, 1, 1, 0, 1, tzinfo=UTC))
    assert shown == ["work", *cells, "60s", "app", "nginx:1.27", "<none>"]
