from typing import Any

import pytest

from memkube.apimachinery.field_errors import FieldError, FieldPath
from memkube.apis.resource.v1.device_rules import (
    validate_binding_conditions,
    validate_object_data,
    validate_pool_name,
    validate_qualified_name,
    validate_toleration,
    validate_uuid,
)
from memkube.apis.resource.v1.devices import DeviceToleration
from memkube.apis.resource.v1.resourceslices.types import Device

X = FieldPath("x")
UUID = "0123abcd-0123-4123-8123-0123456789ab"


def texts(errors: list[FieldError]) -> list[str]:
    return [str(error) for error in errors]


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        (UUID, None),
        (UUID.upper(), "uid must be in RFC 4122 normalized form"),
        (UUID.replace("-", ""), "uid must be in RFC 4122 normalized form"),
        (f"{{{UUID}}}", "uid must be in RFC 4122 normalized form"),
        (f"urn:uuid:{UUID}", "uid must be in RFC 4122 normalized form"),
        (f"uri:uuid:{UUID}", 'error validating uid: invalid urn prefix: "uri:uuid:"'),
        (f"({UUID})", "error validating uid: invalid bracketed UUID format"),
        (UUID.replace("a", "x"), "error validating uid: invalid UUID format"),
        (UUID.replace("-", "0"), "error validating uid: invalid UUID format"),
        ("", "error validating uid: invalid UUID length: 0"),
        ("short", "error validating uid: invalid UUID length: 5"),
    ],
)
def test_uuids_have_the_form_that_everybody_knows(text: str, detail: str | None) -> None:
    errors = [error.detail for error in validate_uuid(text, X)]
    assert errors == [] if detail is None else errors[0].startswith(detail)


@pytest.mark.parametrize(
    ("name", "details"),
    [
        ("model", []),
        ("example.com/model", []),
        ("Example.COM/model", []),
        ("a/b/c", []),
        ("/model", ["the domain must not be empty"]),
        ("example.com/", ["the name must not be empty"]),
        ("m" * 33, ["may not be more than 32 bytes"]),
        ("m-1", ["a valid C identifier must"]),
    ],
)
def test_attributes_are_identifiers_behind_a_domain(name: str, details: list[str]) -> None:
    errors = validate_qualified_name(name, X)
    assert [error.detail[: len(detail)] for error, detail in zip(errors, details, strict=True)] == details


@pytest.mark.parametrize("name", ["a", "a.b/c", "node-1/x.y"])
def test_pools_have_domain_names_with_slashes_between_them(name: str) -> None:
    assert validate_pool_name(name, X) == []


def test_each_part_of_a_pools_name_is_a_domain_name() -> None:
    assert [(error.value, error.type) for error in validate_pool_name("a//B", X)] == [
        ("", "FieldValueInvalid"),
        ("B", "FieldValueInvalid"),
    ]
    assert texts(validate_pool_name("a" * 254, X))[0] == "x: Too long: may not be more than 253 bytes"


@pytest.mark.parametrize(
    ("data", "errors"),
    [
        ({}, []),
        (None, ["x: Required value"]),
        ([], ['x: Invalid value: "<value omitted>": must be a valid JSON object']),
        ({"a": "b" * 10240}, ["x: Too long: may not be more than 10240 bytes"]),
    ],
)
def test_data_for_drivers_is_an_object_of_a_certain_size(data: Any, errors: list[str]) -> None:
    assert texts(validate_object_data(data, X)) == errors


def test_data_that_is_stored_already_may_be_longer() -> None:
    assert validate_object_data({"a": "b" * 10240}, X, stored=True) == []


@pytest.mark.parametrize(
    ("toleration", "errors"),
    [
        ({"operator": "Exists"}, []),
        ({"operator": "Equal", "key": "a", "value": "b"}, []),
        ({"operator": "Exists", "value": "b"}, ['x.value: Invalid value: "b": must be empty for operator `Exists`']),
        ({}, ["x.operator: Required value"]),
    ],
)
def test_tolerations_fit_some_taint(toleration: dict[str, Any], errors: list[str]) -> None:
    assert texts(validate_toleration(DeviceToleration.from_document(toleration), X)) == errors


@pytest.mark.parametrize(
    ("conditions", "failures", "errors"),
    [
        ([], [], []),
        (["a"], ["b"], []),
        (
            ["a"],
            ["a"],
            [
                (
                    'x.bindingFailureConditions[0]: Invalid value: "a": '
                    "bindingFailureConditions must not overlap with bindingConditions"
                )
            ],
        ),
        (["a", "a"], ["b"], ['x.bindingConditions[1]: Duplicate value: "a"']),
        (
            ["a"],
            [],
            [
                (
                    "x.bindingFailureConditions: Invalid value: []: "
                    "bindingFailureConditions are required to use bindingConditions"
                )
            ],
        ),
        (["a", "b", "c", "d", "e"], ["f"], ["x.bindingConditions: Too many: 5: must have at most 4 items"]),
    ],
    ids=range(6),
)
def test_conditions_and_those_of_failure_come_together(
    conditions: list[str], failures: list[str], errors: list[str]
) -> None:
    device = Device.from_document({"bindingConditions": conditions, "bindingFailureConditions": failures})
    assert texts(validate_binding_conditions(device, X)) == errors
