from typing import Any

import pytest

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.persistentvolumeclaims.strategy import PersistentVolumeClaimStrategy
from memkube.apis.core.v1.persistentvolumeclaims.validation import (
    validate_persistent_volume_claim_status_update,
    validate_persistent_volume_claim_update,
)
from memkube.apis.core.v1.podspec.types.persistent_volume_claims import PersistentVolumeClaim

_SPEC: Document = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "2Gi"}}}
_CLASS = "volume.beta.kubernetes.io/storage-class"
_BOUND = {"phase": "Bound", "capacity": {"storage": "1Gi"}}
_RESIZE_STATES = (
    '"ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress", "NodeResizeInfeasible", '
    '"NodeResizePending"'
)
_IMMUTABLE = "spec: Forbidden: spec is immutable after creation"


def claim(spec: Document, status: Document | None = None, annotations: Document | None = None) -> PersistentVolumeClaim:
    metadata = {"name": "data", "namespace": "default", "resourceVersion": "1", "annotations": annotations or {}}
    document = {"metadata": metadata, "spec": {**_SPEC, **spec}, "status": status or {}}
    made = PersistentVolumeClaim.from_document(document)
    PersistentVolumeClaimStrategy().default(made)
    return made


def sized(amount: str, **fields: Any) -> Document:
    return {"resources": {"requests": {"storage": amount}}, **fields}


def update_messages(new: PersistentVolumeClaim, old: PersistentVolumeClaim) -> list[str]:
    return [str(error).partition(" except ")[0] for error in validate_persistent_volume_claim_update(new, old)]


def status_messages(status: Document) -> list[str]:
    errors = validate_persistent_volume_claim_status_update(claim({}, status), claim({}))
    return [str(error) for error in errors]


@pytest.mark.parametrize(
    ("before", "after", "status", "errors"),
    [
        ({}, {"volumeName": "disk"}, None, []),
        ({"volumeName": "disk"}, {"volumeName": "other"}, None, [_IMMUTABLE]),
        ({}, sized("3Gi"), None, [_IMMUTABLE]),
        ({}, sized("2048Mi"), None, []),
        ({}, sized("3Gi"), _BOUND, []),
        ({}, sized("1500Mi"), _BOUND, []),
        (
            {},
            sized("1Gi"),
            _BOUND,
            ["spec.resources.requests.storage: Forbidden: field can not be less than status.capacity"],
        ),
        ({}, {"volumeAttributesClassName": "gold"}, None, [_IMMUTABLE]),
        ({}, {"volumeAttributesClassName": "gold"}, _BOUND, []),
        ({}, {"volumeMode": "Block"}, _BOUND, [_IMMUTABLE, 'volumeMode: Invalid value: "Block": field is immutable']),
    ],
)
def test_a_claim_stays_but_for_what_a_bound_one_may_change(
    before: Document, after: Document, status: Document | None, errors: list[str]
) -> None:
    assert update_messages(claim(after, status), claim(before, status)) == errors


@pytest.mark.parametrize(
    ("name", "nothing"),
    [(None, "nil"), ("", "empty string")],
)
def test_a_class_of_attributes_in_use_is_not_taken_back(name: str | None, nothing: str) -> None:
    status = {**_BOUND, "currentVolumeAttributesClassName": "gold"}
    after = claim({"volumeAttributesClassName": name}, status)
    detail = f"update to {nothing} is forbidden when status.currentVolumeAttributesClassName is not nil"
    expected = [f"spec.volumeAttributesClassName: Forbidden: {detail}"]
    assert update_messages(after, claim({"volumeAttributesClassName": "gold"}, status)) == expected


@pytest.mark.parametrize(
    ("old", "new", "allowed"),
    [
        (None, "fast", True),
        ("fast", "fast", True),
        ("slow", "fast", False),
    ],
)
def test_a_class_that_no_spec_told_may_be_told(old: str | None, new: str, allowed: bool) -> None:
    annotations = {_CLASS: old} if old else {}
    before, after = claim({}, None, annotations), claim({"storageClassName": new}, None, annotations)
    assert (update_messages(after, before) == []) == allowed


def test_the_annotation_may_go_when_the_spec_tells_the_class() -> None:
    before = claim({}, None, {_CLASS: "fast"})
    assert update_messages(claim({"storageClassName": "fast"}), before) == []
    immutable = f'metadata.annotations.{_CLASS}: Invalid value: "": field is immutable'
    assert update_messages(claim({}), before) == [immutable]


@pytest.mark.parametrize(
    "wrong",
    [
        {"selector": {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b c"]}]}},
        {"dataSource": {"apiGroup": "A_B", "kind": "K", "name": "n"}},
    ],
)
def test_what_was_accepted_once_may_stay(wrong: Document) -> None:
    old = claim(wrong, _BOUND)
    assert update_messages(claim({**wrong, **sized("3Gi")}, _BOUND), old) == []


@pytest.mark.parametrize(
    ("status", "errors"),
    [
        ({"capacity": {"storage": "-1"}}, ["capacity[storage]: Invalid value: -1: must be a valid resource quantity"]),
        ({"allocatedResources": {"example.com/x": "1"}}, []),
        (
            {"allocatedResources": {"cpu": "1"}},
            ['allocatedResources: Unsupported value: "cpu": supported values: "storage"'],
        ),
        (
            {"allocatedResources": {"storage": "-500m"}},
            ['allocatedResources[storage]: Invalid value: "-500m": must be greater than or equal to 0'],
        ),
        ({"allocatedResourceStatuses": {"storage": "NodeResizePending"}}, []),
        (
            {"allocatedResourceStatuses": {"storage": "Soon"}},
            [f'allocatedResourceStatuses: Unsupported value: "storage": supported values: {_RESIZE_STATES}'],
        ),
    ],
)
def test_a_status_tells_of_storage(status: Document, errors: list[str]) -> None:
    assert status_messages(status) == [f"status.{error}" for error in errors]
