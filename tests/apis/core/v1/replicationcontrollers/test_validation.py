from typing import Any

import pytest

from memkube.apis.core.v1.replicationcontrollers.validation import (
    validate_replication_controller,
    validate_replication_controller_update,
)
from tests.apis.apps.v1.workloads import TEMPLATE, workload

OTHER = {"metadata": {"labels": {"app": "web", "tier": "front"}}, "spec": TEMPLATE["spec"]}


def controller(selector: dict[str, str], annotations: dict[str, str]) -> Any:
    made = workload("ReplicationController", selector=selector, template=OTHER)
    made.metadata.annotations = annotations
    return made


@pytest.mark.parametrize(
    ("annotation", "selector", "messages"),
    [
        ("selector", {"app": "web"}, []),
        (
            "selector",
            {"tier": "front"},
            ['spec.selector: Invalid value: {"tier":"front"}: cannot update non-convertible selector'],
        ),
        ("odd", {"app": "web"}, ['odd: Not found: "x": unknown non-convertible field']),
    ],
)
def test_what_could_not_be_converted_stays(annotation: str, selector: dict[str, str], messages: list[str]) -> None:
    annotations = {f"non-convertible.kubernetes.io/{annotation}": "x"}
    old, new = controller({"app": "web"}, annotations), controller(selector, annotations)
    assert [str(error) for error in validate_replication_controller_update(new, old)] == messages


@pytest.mark.parametrize(
    ("name", "generate_name", "errors"),
    [
        ("x" * 254, "", ["must be no more than 253 bytes"]),
        ("web", "-", []),
    ],
)
def test_names_are_domain_names(name: str, generate_name: str, errors: list[str]) -> None:
    made = controller({"app": "web"}, {})
    made.metadata.namespace, made.metadata.name, made.metadata.generateName = "default", name, generate_name
    assert [error.detail for error in validate_replication_controller(made)] == errors
