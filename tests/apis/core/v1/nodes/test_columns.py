from datetime import UTC, datetime
from typing import Any

import pytest

from memkube.apis.core.v1.nodes.columns import PRINTER
from memkube.apis.core.v1.nodes.types import Node


def cells(**node: Any) -> list[Any]:
    metadata = {"name": "a", "creationTimestamp": "2026-01-01T00:00:00Z"} | node.pop("metadata", {})
    document = Node.from_document({"metadata": metadata, **node}).to_document()
    return PRINTER.row(document).at(datetime(2026, 1, 1, tzinfo=UTC))


def ready(status: str) -> dict[str, Any]:
    return {"conditions": [{"type": "Ready", "status": status}]}


def test_of_a_bare_node_little_is_known() -> None:
    assert cells() == ["a", "Unknown", "<none>", "0s", "", "<none>", "<none>", "<unknown>", "<unknown>", "<unknown>"]


@pytest.mark.parametrize(
    ("status", "spec", "shown"),
    [
        (ready("True"), {}, "Ready"),
        (ready("Unknown"), {}, "NotReady"),
        (ready("False"), {"unschedulable": True}, "NotReady,SchedulingDisabled"),
        ({}, {"unschedulable": True}, "Unknown,SchedulingDisabled"),
    ],
)
def test_the_state_tells_whether_pods_can_run_and_whether_they_may(
    status: dict[str, Any], spec: dict[str, Any], shown: str
) -> None:
    assert cells(status=status, spec=spec)[1] == shown


def test_roles_come_from_two_kinds_of_labels() -> None:
    labels = {"node-role.kubernetes.io/worker": "", "kubernetes.io/role": "master", "node-role.kubernetes.io/": ""}
    assert cells(metadata={"labels": labels})[2] == "master,worker"


def test_the_kernel_comes_with_the_architecture() -> None:
    assert cells(status={"nodeInfo": {"architecture": "arm64"}})[8] == "<unknown> (arm64)"


def test_the_first_address_of_a_type_is_shown() -> None:
    addresses = [{"type": "InternalIP", "address": "10.0.0.1"}, {"type": "InternalIP", "address": "fd00::1"}]
    assert cells(status={"addresses": addresses})[5:7] == ["10.0.0.1", "<none>"]
