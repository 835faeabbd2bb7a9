from datetime import UTC, datetime
from typing import Any

import pytest

from memkube.apis.apps.v1.deployments import columns as deployments
from memkube.apis.apps.v1.statefulsets import columns as statefulsets
from memkube.apis.autoscaling.v1.scales import columns as scales
from memkube.apis.core.v1.podspec.container_columns import SELECTED_REPLICAS
from memkube.registry.declarations.table import TablePrinter
from tests.apis.apps.v1.workloads import TEMPLATE

STATUS = {"replicas": 3, "readyReplicas": 2, "updatedReplicas": 1, "availableReplicas": 2}


@pytest.mark.parametrize(
    ("printer", "cells"),
    [
        (SELECTED_REPLICAS, ["web", 4, 3, 2, "0s", "app", "nginx:1.27", "app=web"]),
        (deployments.PRINTER, ["web", "2/4", 1, 2, "0s", "app", "nginx:1.27", "app=web"]),
        (statefulsets.PRINTER, ["web", "2/4", "0s", "app", "nginx:1.27"]),
        (scales.PRINTER, ["web", 4, 3, "0s"]),
    ],
)
def test_a_workload_shows_how_far_it_is(printer: TablePrinter, cells: list[Any]) -> None:
    metadata = {"name": "web", "creationTimestamp": "2026-01-01T00:00:00Z"}
    spec = {"replicas": 4, "selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}
    document = {"metadata": metadata, "spec": spec, "status": STATUS}
    assert printer.row(document).at(datetime(2026, 1, 1, tzinfo=UTC)) == cells
