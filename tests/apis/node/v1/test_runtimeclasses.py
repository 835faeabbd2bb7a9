from typing import Any

import pytest

from memkube.apis.node.v1.runtimeclasses.strategy import (
    RuntimeClassStrategy,
    validate_runtime_class,
    validate_runtime_class_update,
)
from memkube.apis.node.v1.runtimeclasses.types import RuntimeClass


def _class(handler: str = "gvisor", **fields: Any) -> RuntimeClass:
    metadata = {"name": "a", "resourceVersion": "1"}
    return RuntimeClass.from_document({"metadata": metadata, "handler": handler, **fields})


def _errors(**fields: Any) -> list[str]:
    return [str(error) for error in validate_runtime_class(_class(**fields))]


def test_there_is_a_handler() -> None:
    assert _errors(handler="") == ["handler: Required value"]
    assert _errors(handler="a.b") == ['handler: Invalid value: "a.b": must not contain dots']


@pytest.mark.parametrize(
    ("amounts", "error"),
    [
        ({"cpu": "-1"}, 'overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0'),
        ({"bananas": "1"}, 'overhead.limits[bananas]: Invalid value: "bananas": must be a standard resource'),
    ],
)
def test_an_overhead_is_what_a_container_could_ask_for(amounts: dict[str, str], error: str) -> None:
    assert _errors(overhead={"podFixed": amounts})[0].startswith(error)


def test_a_toleration_is_there_once_whatever_its_seconds() -> None:
    toleration = {"key": "a", "operator": "Exists", "effect": "NoExecute"}
    [error] = _errors(scheduling={"tolerations": [toleration, {**toleration, "tolerationSeconds": 5}]})
    assert error == (
        'scheduling.tolerations[1]: Duplicate value: {"Key":"a","Operator":"Exists","Value":"","Effect":"NoExecute",'
        '"TolerationSeconds":5}'
    )


def test_the_handler_is_immutable() -> None:
    errors = [str(error) for error in validate_runtime_class_update(_class("runc"), _class())]
    assert errors == ['handler: Invalid value: "runc": field is immutable']


def test_old_labels_of_nodes_earn_a_warning() -> None:
    scheduling = {"nodeSelector": {"beta.kubernetes.io/os": "linux", "x": "y"}}
    assert RuntimeClassStrategy().warnings_on_create(_class(scheduling=scheduling)) == [
        'scheduling.nodeSelector: deprecated since v1.14; use "kubernetes.io/os" instead'
    ]


def test_a_put_creates_a_class_but_needs_a_version_later() -> None:
    assert RuntimeClassStrategy.allow_create_on_update
    assert not RuntimeClassStrategy.allow_unconditional_update
