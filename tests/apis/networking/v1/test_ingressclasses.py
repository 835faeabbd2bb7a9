from typing import Any

import pytest

from memkube.apimachinery.time import Time
from memkube.apis.networking.v1.ingressclasses.columns import PRINTER
from memkube.apis.networking.v1.ingressclasses.strategy import (
    IngressClassStrategy,
    validate_ingress_class,
    validate_ingress_class_update,
)
from memkube.apis.networking.v1.ingressclasses.types import IngressClass

_NOW = Time("2026-01-01T00:00:00Z")


def _class(controller: str = "acme.io/lb", **parameters: Any) -> IngressClass:
    spec: dict[str, Any] = {"controller": controller}
    if parameters:
        spec["parameters"] = {"kind": "Config", "name": "a", **parameters}
    return IngressClass.from_document({"metadata": {"name": "a", "resourceVersion": "1"}, "spec": spec})


@pytest.mark.parametrize(
    ("controller", "detail"),
    [
        ("", ""),
        ("acme.io", 'must be a domain-prefixed path (such as "acme.io/foo")'),
        ("/x", 'must be a domain-prefixed path (such as "acme.io/foo")'),
        ("acme.io/a b", "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')"),
        ("acme.io/" + "a" * 250, "may not be more than 250 bytes"),
    ],
)
def test_a_controller_is_a_path_behind_a_domain(controller: str, detail: str) -> None:
    assert [error.detail for error in validate_ingress_class(_class(controller))] == [detail]


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"scope": "Galaxy"}, 'scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespace"'),
        ({"scope": "Namespace"}, "namespace: Required value: `parameters.scope` is set to 'Namespace'"),
        ({"scope": "Cluster", "namespace": "x"}, "namespace: Forbidden: `parameters.scope` is set to 'Cluster'"),
        ({}, "scope: Required value"),
        ({"scope": "Cluster", "kind": ""}, "kind: Required value"),
        ({"scope": "Cluster", "name": "a/b"}, "name: Invalid value: \"a/b\": may not contain '/'"),
    ],
)
def test_parameters_are_told_completely(parameters: dict[str, str], error: str) -> None:
    errors = validate_ingress_class(_class(**(parameters or {"apiGroup": "acme.io"})))
    assert [str(found) for found in errors] == [f"spec.parameters.{error}"]


def test_parameters_are_of_the_cluster_by_default() -> None:
    ingress_class = _class(apiGroup="acme.io")
    IngressClassStrategy().default(ingress_class)
    assert ingress_class.spec.parameters is not None
    assert ingress_class.spec.parameters.scope == "Cluster"


def test_the_controller_is_immutable() -> None:
    [error] = validate_ingress_class_update(_class("b.io/x"), _class())
    assert str(error) == 'spec.controller: Invalid value: "b.io/x": field is immutable'


def test_a_changed_spec_is_a_new_generation() -> None:
    old, new = _class(), _class(scope="Cluster")
    IngressClassStrategy().prepare_for_create(old, _NOW)
    IngressClassStrategy().prepare_for_update(new, old)
    assert new.metadata.generation == 2


def test_a_row_marks_the_default() -> None:
    document = _class(apiGroup="acme.io").to_document()
    document["metadata"]["annotations"] = {"ingressclass.kubernetes.io/is-default-class": "true"}
    assert PRINTER.row(document).cells[:3] == ["a (default)", "acme.io/lb", "Config.acme.io/a"]
