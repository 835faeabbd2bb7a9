from typing import Any

import pytest

from memkube.apis.resource.v1.deviceclasses.strategy import DeviceClassStrategy
from memkube.apis.resource.v1.deviceclasses.types import DeviceClass

LONG = {"opaque": {"driver": "d.example.com", "parameters": {"a": "b" * 10240}}}


def device_class(**spec: Any) -> DeviceClass:
    return DeviceClass.from_document({"metadata": {"name": "a", "resourceVersion": "1"}, "spec": spec})


@pytest.mark.parametrize("name", ["cpu", "requests.example.com/gpu", "kubernetes.io/gpu", "example.com/a b"])
def test_devices_of_a_class_can_be_had_as_an_extended_resource(name: str) -> None:
    strategy = DeviceClassStrategy()
    assert strategy.validate(device_class(extendedResourceName="example.com/gpu")) == []
    assert [str(error) for error in strategy.validate(device_class(extendedResourceName=name))] == [
        f'spec.extendedResourceName: Invalid value: "{name}": must be a valid extended resource name'
    ]


def test_configurations_that_stay_may_be_too_long() -> None:
    old, strategy = device_class(config=[LONG]), DeviceClassStrategy()
    assert strategy.validate_update(device_class(config=[LONG], extendedResourceName="example.com/x"), old) == []
    (error,) = strategy.validate_update(device_class(config=[LONG, LONG]), old)[:1]
    assert str(error) == "spec.config[0].opaque.parameters: Too long: may not be more than 10240 bytes"


def test_a_configuration_is_for_a_driver() -> None:
    errors = DeviceClassStrategy().validate(device_class(config=[{}, {"opaque": {"driver": ""}}]))
    assert [str(error) for error in errors] == [
        "spec.config[0].opaque: Required value",
        "spec.config[1].opaque.driver: Required value",
        "spec.config[1].opaque.parameters: Required value",
    ]


def test_only_a_changed_spec_is_a_new_generation() -> None:
    old = device_class()
    old.metadata.generation = 3
    same, other = device_class(), device_class(extendedResourceName="example.com/x")
    for new in (same, other):
        new.metadata.generation = 3
        DeviceClassStrategy().prepare_for_update(new, old)
    assert (same.metadata.generation, other.metadata.generation) == (3, 4)
