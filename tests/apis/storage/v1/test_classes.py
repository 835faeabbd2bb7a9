from typing import Any

import pytest

from memkube.apimachinery.model import Document
from memkube.apis.storage.v1.storageclasses.strategy import StorageClassStrategy
from memkube.apis.storage.v1.storageclasses.types import StorageClass
from memkube.apis.storage.v1.volumeattributesclasses.strategy import VolumeAttributesClassStrategy
from memkube.apis.storage.v1.volumeattributesclasses.types import VolumeAttributesClass

_STRATEGY = StorageClassStrategy()


def storage_class(**fields: Any) -> StorageClass:
    document = {"metadata": {"name": "fast", "resourceVersion": "1"}, "provisioner": "example.com/disk", **fields}
    made = StorageClass.from_document(document)
    _STRATEGY.default(made)
    return made


def attributes_class(parameters: Document) -> VolumeAttributesClass:
    metadata = {"name": "gold", "resourceVersion": "1"}
    return VolumeAttributesClass.from_document(
        {"metadata": metadata, "driverName": "csi.example.com", "parameters": parameters}
    )


def term(**values: list[str]) -> Document:
    return {"matchLabelExpressions": [{"key": key, "values": listed} for key, listed in values.items()]}


@pytest.mark.parametrize(
    ("fields", "errors"),
    [
        ({"provisioner": ""}, ["provisioner: Required value"]),
        ({"provisioner": "Example.com/Disk"}, []),
        ({"provisioner": "A/B/C"}, ['provisioner: Invalid value: "a/b/c": a valid label key must consist']),
        ({"parameters": {"": "a"}}, ['parameters: Invalid value: "": field can not be empty.']),
        ({"parameters": {str(n): "" for n in range(513)}}, ["parameters: Too long: may not be more than 512 bytes"]),
        ({"parameters": {"a": "x" * 2**18}}, ["parameters: Too long: may not be more than 262144 bytes"]),
        ({"reclaimPolicy": "Recycle"}, ['reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "R']),
        (
            {"volumeBindingMode": "Soon"},
            ['volumeBindingMode: Unsupported value: "Soon": supported values: "Immediate"'],
        ),
    ],
)
def test_a_class_says_who_makes_volumes_and_how(fields: Document, errors: list[str]) -> None:
    found = [str(error) for error in _STRATEGY.validate(storage_class(**fields))]
    assert [message[: len(start)] for message, start in zip(found, errors, strict=True)] == errors


@pytest.mark.parametrize(
    ("terms", "errors"),
    [
        ([term(zone=["a"]), term(zone=["b"])], []),
        ([term(zone=["a", "b"]), term(zone=["b", "a"])], ['[1].matchLabelExpressions: Duplicate value: ""']),
        ([term(zone=[])], ["[0].matchLabelExpressions[0].values: Required value"]),
        ([term(zone=["a", "a"])], ['[0].matchLabelExpressions[0].values[1]: Duplicate value: "a"']),
        ([{}], ['[0].matchLabelExpressions: Duplicate value: ""']),
        ([{}, {}], ['[0].matchLabelExpressions: Duplicate value: ""'] * 2 + ["[1].matchLabelExpressions: Dup"] * 3),
    ],
)
def test_topologies_differ(terms: list[Document], errors: list[str]) -> None:
    found = [str(error) for error in _STRATEGY.validate(storage_class(allowedTopologies=terms))]
    starts = [f"allowedTopologies{error}" for error in errors]
    assert [message[: len(start)] for message, start in zip(found, starts, strict=True)] == starts


def test_a_label_stands_once_in_a_term() -> None:
    twice = {"matchLabelExpressions": [{"key": "zone", "values": ["a"]}, {"key": "zone", "values": ["b"]}]}
    (found,) = _STRATEGY.validate(storage_class(allowedTopologies=[twice]))
    assert str(found) == 'allowedTopologies[0].matchLabelExpressions[1].key: Duplicate value: "zone"'


def test_the_parameters_are_immutable() -> None:
    new = storage_class(parameters={"a": "b"}, allowVolumeExpansion=True, mountOptions=["ro"])
    (found,) = _STRATEGY.validate_update(new, storage_class())
    assert str(found) == 'parameters: Invalid value: {"a":"b"}: field is immutable'


def test_retired_labels_are_warned_of() -> None:
    terms = [{"matchLabelExpressions": [{"key": "beta.kubernetes.io/os", "values": ["linux"]}]}]
    (warning,) = _STRATEGY.warnings_on_create(storage_class(allowedTopologies=terms))
    assert warning.startswith("allowedTopologies[0].matchLabelExpressions[0].key: deprecated since v1.14")


def test_attributes_are_required_and_immutable() -> None:
    strategy = VolumeAttributesClassStrategy()
    (missing,) = strategy.validate(attributes_class({}))
    assert str(missing) == "parameters: Required value: must contain at least one key/value pair"
    (changed,) = strategy.validate_update(attributes_class({"iops": "2"}), attributes_class({"iops": "1"}))
    assert str(changed) == "parameters: Forbidden: updates to parameters are forbidden."
