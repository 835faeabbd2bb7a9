from datetime import UTC, datetime
from typing import Any

import pytest

from memkube.apis.policy.v1.poddisruptionbudgets.columns import PRINTER


@pytest.mark.parametrize(
    ("spec", "amounts"),
    [
        ({"minAvailable": 0}, ["0", "N/A"]),
        ({"minAvailable": "50%"}, ["50%", "N/A"]),
        ({"maxUnavailable": 1}, ["N/A", "1"]),
        ({}, ["N/A", "N/A"]),
    ],
)
def test_amounts_are_shown_as_they_are_written(spec: dict[str, Any], amounts: list[str]) -> None:
    metadata = {"name": "a", "creationTimestamp": "2026-01-01T00:00:00Z"}
    budget = {"metadata": metadata, "spec": spec, "status": {"disruptionsAllowed": 2}}
    assert PRINTER.row(budget).at(datetime(2026, 1, 1, tzinfo=UTC)) == ["a", *amounts, 2, "0s"]
