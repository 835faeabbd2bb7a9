from typing import Any

import pytest

from memkube.apimachinery.model import Document
from memkube.apis.storage.v1.csidrivers.strategy import CSIDriverStrategy
from memkube.apis.storage.v1.csidrivers.types import CSIDriver
from memkube.apis.storage.v1.csinodes.strategy import CSINodeStrategy
from memkube.apis.storage.v1.csinodes.types import CSINode
from memkube.apis.storage.v1.csistoragecapacities.strategy import CSIStorageCapacityStrategy
from memkube.apis.storage.v1.csistoragecapacities.types import CSIStorageCapacity
from memkube.apis.storage.v1.volumeattachments.strategy import VolumeAttachmentStatusStrategy, VolumeAttachmentStrategy
from memkube.apis.storage.v1.volumeattachments.types import VolumeAttachment

_DRIVERS, _NODES, _CAPACITIES = CSIDriverStrategy(), CSINodeStrategy(), CSIStorageCapacityStrategy()
_METADATA = {"name": "one", "resourceVersion": "1"}
_ATTACHED = {"attacher": "csi.example.com", "nodeName": "a", "source": {"persistentVolumeName": "disk"}}


def driver(**spec: Any) -> CSIDriver:
    made = CSIDriver.from_document({"metadata": _METADATA, "spec": spec})
    _DRIVERS.default(made)
    return made


def node(*drivers: Document) -> CSINode:
    return CSINode.from_document({"metadata": _METADATA, "spec": {"drivers": list(drivers)}})


def capacity(**fields: Any) -> CSIStorageCapacity:
    metadata = {**_METADATA, "namespace": "default"}
    return CSIStorageCapacity.from_document({"metadata": metadata, "storageClassName": "fast", **fields})


def attachment(status: Document | None = None, **spec: Any) -> VolumeAttachment:
    document = {"metadata": _METADATA, "spec": {**_ATTACHED, **spec}, "status": {"attached": True, **(status or {})}}
    return VolumeAttachment.from_document(document)


@pytest.mark.parametrize(
    ("spec", "error"),
    [
        ({"fsGroupPolicy": "All"}, 'fsGroupPolicy: Unsupported value: "All": supported values: "File", "None"'),
        ({"volumeLifecycleModes": ["Never"]}, 'volumeLifecycleModes: Unsupported value: "Never": supported values: "P'),
        ({"tokenRequests": [{"audience": "a"}] * 2}, 'tokenRequests[1].audience: Duplicate value: "a"'),
        (
            {"tokenRequests": [{"audience": "a", "expirationSeconds": 599}]},
            "tokenRequests[0].expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes",
        ),
        (
            {"tokenRequests": [{"audience": "a", "expirationSeconds": 2**32 + 1}]},
            "tokenRequests[0].expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than",
        ),
        ({"nodeAllocatableUpdatePeriodSeconds": 9}, "nodeAllocatableUpdatePeriodSeconds: Invalid value: 9: must be"),
        ({"serviceAccountTokenInSecrets": False}, "serviceAccountTokenInSecrets: Invalid value: false: service"),
    ],
)
def test_a_driver_says_what_it_can_do(spec: Document, error: str) -> None:
    (found,) = _DRIVERS.validate(driver(**spec))
    assert str(found).startswith(f"spec.{error}")


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"attachRequired": False}, "spec.attachedRequired: Invalid value: false: field is immutable"),
        (
            {"volumeLifecycleModes": ["Ephemeral"]},
            'spec.volumeLifecycleModes: Invalid value: ["Ephemeral"]: field is immutable',
        ),
        ({"storageCapacity": True}, None),
    ],
)
def test_whether_volumes_are_attached_stays(change: Document, error: str | None) -> None:
    found = [str(each) for each in _DRIVERS.validate_update(driver(**change), driver())]
    assert found == ([error] if error else [])


def test_a_changed_driver_is_a_new_generation() -> None:
    new, old = driver(storageCapacity=True), driver()
    _DRIVERS.prepare_for_update(new, old)
    assert (new.metadata.generation, old.metadata.generation) == (1, 0)


def test_tokens_among_settings_are_warned_of_when_they_change() -> None:
    requests = [{"audience": "a"}]
    told = driver(tokenRequests=requests)
    assert len(_DRIVERS.warnings_on_create(told)) == 1
    assert len(_DRIVERS.warnings_on_update(told, driver())) == 1
    assert _DRIVERS.warnings_on_update(told, driver(tokenRequests=requests)) == []
    assert _DRIVERS.warnings_on_create(driver(tokenRequests=requests, serviceAccountTokenInSecrets=True)) == []


@pytest.mark.parametrize(
    ("drivers", "error"),
    [
        ([{"name": "a", "nodeID": ""}], "[0].nodeID: Required value"),
        ([{"name": "a", "nodeID": "x" * 257}], "[0].nodeID: Invalid value: "),
        ([{"name": "a", "nodeID": "x", "allocatable": {"count": -1}}], "[0].allocatable.count: Invalid value: -1"),
        ([{"name": "a", "nodeID": "x"}] * 2, '[1].name: Duplicate value: "a"'),
        ([{"name": "a" * 64, "nodeID": "x"}], "[0].name: Too long: may not be more than 63 bytes"),
        ([{"name": "a", "nodeID": "x", "topologyKeys": ["k", "k"]}], '[0]: Duplicate value: "k"'),
    ],
)
def test_each_driver_is_on_a_node_once(drivers: list[Document], error: str) -> None:
    (found,) = _NODES.validate(node(*drivers))
    assert str(found).startswith(f"spec.drivers{error}")


def test_of_a_drivers_node_only_the_number_of_volumes_changes() -> None:
    old = node({"name": "a", "nodeID": "x"})
    assert _NODES.validate_update(node({"name": "a", "nodeID": "x", "allocatable": {"count": 1}}), old) == []
    assert _NODES.validate_update(node({"name": "b", "nodeID": "y"}), old) == []
    (found,) = _NODES.validate_update(node({"name": "a", "nodeID": "y", "allocatable": {"count": 1}}), old)
    shown = '{"Name":"a","NodeID":"y","TopologyKeys":null,"Allocatable":null}'
    assert str(found) == f"spec.drivers: Invalid value: {shown}: field is immutable"


def test_what_a_capacity_is_about_stays() -> None:
    wrong = {"nodeTopology": {"matchLabels": {"zone": "a b"}}}
    assert len(_CAPACITIES.validate(capacity(**wrong))) == 1
    (found,) = _CAPACITIES.validate_update(capacity(storageClassName="slow"), capacity())
    assert str(found) == 'storageClassName: Invalid value: "slow": field is immutable'
    expression = {"nodeTopology": {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a b"]}]}}
    assert _CAPACITIES.validate_update(capacity(capacity="1Gi", **expression), capacity(**expression)) == []


@pytest.mark.parametrize(
    ("spec", "error"),
    [
        ({"source": {}}, "spec.source: Required value: must specify exactly one of inlineVolumeSpec and"),
        ({"source": {"persistentVolumeName": "a", "inlineVolumeSpec": {}}}, "spec.source: Forbidden: must specify"),
        ({"attacher": ""}, "spec.attacher: Required value"),
        ({"nodeName": "A"}, 'spec.nodeName: Invalid value: "A": '),
        ({"source": {"persistentVolumeName": "A"}}, 'spec.source.persistentVolumeName: Invalid value: "A": '),
    ],
)
def test_what_is_attached_where_is_told(spec: Document, error: str) -> None:
    (found,) = VolumeAttachmentStrategy().validate(attachment(**spec))
    assert str(found).startswith(error)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        ({"attachmentMetadata": {"a": "x" * 2**18}}, "attachmentMetadata: Too long: may not be more than 262144"),
        ({"attachError": {"message": "x" * 1025}}, "attachError.message: Too long: may not be more than 262144 bytes"),
        ({"detachError": {"errorCode": -1}}, "detachError.errorCode: Invalid value: -1: must be between 0 and"),
    ],
)
def test_what_became_of_an_attachment_is_told_briefly(status: Document, error: str) -> None:
    (found,) = VolumeAttachmentStatusStrategy().validate_update(attachment(status), attachment())
    assert str(found).startswith(f"status.{error}")


def test_a_status_brings_no_metadata() -> None:
    new, old = attachment(nodeName="b"), attachment()
    new.metadata.labels = {"a": "b"}
    VolumeAttachmentStatusStrategy().prepare_for_update(new, old)
    assert new == old
