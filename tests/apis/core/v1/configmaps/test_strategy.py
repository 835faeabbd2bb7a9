from typing import Any

from memkube.apis.core.v1.configmaps.strategy import validate_config_map, validate_config_map_update
from memkube.apis.core.v1.configmaps.types import ConfigMap


def config_map(**fields: Any) -> ConfigMap:
    metadata = {"name": "a", "namespace": "default", "resourceVersion": "1"}
    return ConfigMap.from_document({"metadata": metadata, **fields})


def test_keys_are_file_names() -> None:
    errors = validate_config_map(config_map(data={"a b": ""}, binaryData={"..": ""}))
    assert [error.field for error in errors] == ["data[a b]", "binaryData[..]"]


def test_a_key_is_there_once() -> None:
    errors = validate_config_map(config_map(data={"a": ""}, binaryData={"a": ""}))
    assert [str(error) for error in errors] == ['data[a]: Invalid value: "a": duplicate of key present in binaryData']


def test_all_values_together_have_1_mib_at_most() -> None:
    assert validate_config_map(config_map(data={"a": "x" * 2**20})) == []
    errors = validate_config_map(config_map(data={"a": "x" * 2**20, "b": "x"}))
    assert [str(error) for error in errors] == ["[]: Too long: may not be more than 1048576 bytes"]


def test_what_is_immutable_stays() -> None:
    old = config_map(immutable=True, data={"a": "1"})
    assert validate_config_map_update(old, old) == []
    errors = validate_config_map_update(config_map(data={"a": "2"}), old)
    assert [str(error) for error in errors] == [
        "immutable: Forbidden: field is immutable when `immutable` is set",
        "data: Forbidden: field is immutable when `immutable` is set",
    ]
