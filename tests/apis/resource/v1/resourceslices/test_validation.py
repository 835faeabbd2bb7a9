from typing import Any

import pytest

from memkube.apis.resource.v1.resourceslices.types import ResourceSliceSpec
from memkube.apis.resource.v1.resourceslices.validation import validate_spec

POOL = {"name": "p", "generation": 1, "resourceSliceCount": 1}


def spec(**fields: Any) -> ResourceSliceSpec:
    document = {"driver": "d.example.com", "pool": POOL, "nodeName": "n", **fields}
    return ResourceSliceSpec.from_document({name: value for name, value in document.items() if value is not None})


def errors_of(**fields: Any) -> list[str]:
    return [str(error).removeprefix("spec.") for error in validate_spec(spec(**fields), None)]


def device_errors(**fields: Any) -> list[str]:
    return [error.removeprefix("devices[0].") for error in errors_of(devices=[{"name": "d", **fields}])]


@pytest.mark.parametrize(
    ("fields", "errors"),
    [
        ({"nodeName": ""}, ['nodeName: Invalid value: "": must be either unset or set to a non-empty string']),
        (
            {"nodeName": None, "allNodes": False},
            ["allNodes: Invalid value: false: must be either unset or set to true"],
        ),
        (
            {"perDeviceNodeSelection": False, "nodeName": None},
            ["perDeviceNodeSelection: Invalid value: false: must be either unset or set to true"],
        ),
    ],
)
def test_where_devices_can_be_used_is_said_outright(fields: dict[str, Any], errors: list[str]) -> None:
    none = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"
    assert errors_of(**fields) == [*errors, f"spec: Required value: {none}"]


def test_where_devices_can_be_used_is_said_once() -> None:
    assert errors_of(allNodes=True) == [
        (
            'spec: Invalid value: "{`nodeName`, `allNodes`}": exactly one of `nodeName`, `nodeSelector`, `allNodes`, '
            "`perDeviceNodeSelection` is required, but multiple fields are set"
        )
    ]


def test_the_number_of_node_selector_terms_is_checked_before_all_nodes() -> None:
    selector: dict[str, Any] = {"nodeSelectorTerms": [{}, {}]}
    errors = errors_of(nodeName=None, nodeSelector=selector, allNodes=False)
    assert [error.partition(":")[0] for error in errors] == ["nodeSelector.nodeSelectorTerms", "allNodes"]


def test_a_slice_has_counters_or_devices() -> None:
    counters = [{"name": "set", "counters": {"c": {"value": "1"}}}]
    assert errors_of(sharedCounters=counters) == []
    assert errors_of(sharedCounters=counters, devices=[]) == [
        'spec: Invalid value: "": only one of `sharedCounters` or `devices` is allowed'
    ]


def test_fewer_devices_fit_into_a_slice_with_taints() -> None:
    taint = {"key": "a", "effect": "None"}
    devices = [{"name": f"d{number}"} for number in range(65)]
    assert errors_of(devices=devices) == []
    devices[0]["taints"] = [taint]  # type: ignore[assignment] # A device is not only text.
    assert errors_of(devices=devices) == ["devices: Too many: 65: must have at most 64 items"]


def test_names_of_sets_and_counters_are_labels_of_domains() -> None:
    errors = errors_of(sharedCounters=[{"name": "", "counters": {"C" * 70: {"value": "1"}}}, {"name": "a"}])
    assert [error.partition(" value")[0] for error in errors] == [
        "sharedCounters[0].name: Required",
        "sharedCounters[0].counters: Invalid",
        "sharedCounters[0].counters: Invalid",
        "sharedCounters[1].counters: Required",
    ]


def test_attributes_and_capacities_have_one_limit() -> None:
    attributes = {f"a{number}": {"bool": True} for number in range(20)}
    capacity = {f"c{number}": {"value": "1"} for number in range(13)}
    assert device_errors(attributes=attributes, capacity=capacity) == [
        "devices[0]: Invalid value: 33: the total number of attributes and capacities must not exceed 32"
    ]


def test_long_names_are_shortened_in_paths() -> None:
    name = f"{'a' * 50}/{'b' * 50}"
    (error,) = (error for error in device_errors(attributes={name: {}}) if "exactly one value" in error)
    assert error == (f'attributes[{"a" * 47}...{"b" * 46}]: Invalid value: "": exactly one value must be specified')


@pytest.mark.parametrize(
    ("attribute", "error"),
    [
        ({"string": "x" * 65}, "attributes[a].string: Too long: may not be more than 64 bytes"),
        (
            {"version": "1.2"},
            'attributes[a].version: Invalid value: "1.2": must be a string compatible with semver.org spec 2.0.0',
        ),
        (
            {"int": 1, "bool": False},
            (
                'attributes[a]: Invalid value: {"IntValue":1,"BoolValue":false,"StringValue":null,"VersionValue":null,'
                '"IntValues":null,"BoolValues":null,"StringValues":null,"VersionValues":null}: '
                "exactly one value must be specified"
            ),
        ),
    ],
)
def test_an_attribute_has_one_value(attribute: dict[str, Any], error: str) -> None:
    assert device_errors(attributes={"a": attribute}) == [error]


@pytest.mark.parametrize("version", ["1.2.3", "0.0.0-alpha.1+build.7", "1.0.0-0a"])
def test_versions_are_semantic(version: str) -> None:
    assert device_errors(attributes={"a": {"version": version}}) == []


def test_taints_that_stay_are_not_looked_at_again() -> None:
    old = spec(devices=[{"name": "d", "taints": [{"key": "", "effect": "Odd"}]}])
    assert validate_spec(old.model_copy(deep=True), old) == []
    assert len(validate_spec(old, None)) == 3


def policy_errors(value: str, policy: dict[str, Any]) -> list[str]:
    capacity = {"c": {"value": value, "requestPolicy": policy}}
    errors = device_errors(allowMultipleAllocations=True, capacity=capacity)
    return [error.removeprefix("capacity[c].requestPolicy") for error in errors]


@pytest.mark.parametrize(
    ("policy", "errors"),
    [
        ({}, []),
        ({"default": "1", "validValues": ["1", "2"]}, []),
        ({"validValues": ["1"]}, [".default: Required value: required when validValues is defined"]),
        ({"validRange": {"min": "1"}}, [".default: Required value: required when validRange is defined"]),
        ({"default": "1", "validRange": {}}, [".validRange.min: Required value: required when validRange is defined"]),
        (
            {"default": "3", "validValues": ["2", "1", "20"]},
            [
                '.validValues[1]: Invalid value: "1": values must be sorted in ascending order',
                '.validValues[2]: Invalid value: "20": option is larger than capacity value: 10',
                '.validValues: Invalid value: "3": default value is not valid according to the requestPolicy',
            ],
        ),
        (
            {"default": "1", "validValues": ["1", "1000m"]},
            ['.validValues[1]: Duplicate value: "1"'],
        ),
        (
            {"default": "9", "validRange": {"min": "2", "max": "8", "step": "4"}},
            [
                '.validRange.max: Invalid value: "9": default is more than max: 8',
                '.validRange.step: Invalid value: "9": value is not a multiple of a given step (4) from (2)',
                '.validRange.step: Invalid value: "8": value is not a multiple of a given step (4) from (2)',
            ],
        ),
        (
            {"default": "1", "validRange": {"min": "11", "max": "12", "step": "1"}},
            [
                '.validRange.min: Invalid value: "11": min is larger than capacity value: 10',
                '.validRange.min: Invalid value: "1": default is less than min: 11',
                '.validRange.max: Invalid value: "12": max is larger than capacity value: 10',
                '.validRange.step: Invalid value: "1": one step 12 is larger than capacity value: 10',
            ],
        ),
        (
            {"default": "1", "validRange": {"min": "1", "step": "0"}},
            ['.validRange.step: Invalid value: "1": value is not a multiple of a given step (0) from (1)'],
        ),
    ],
    ids=range(10),
)
def test_what_can_be_asked_for_is_a_part_of_the_capacity(policy: dict[str, Any], errors: list[str]) -> None:
    assert policy_errors("10", policy) == errors


def test_only_devices_that_are_given_several_times_are_given_in_parts() -> None:
    assert device_errors(capacity={"c": {"value": "1", "requestPolicy": {}}}) == [
        "capacity[c].requestPolicy: Forbidden: allowMultipleAllocations must be true"
    ]
