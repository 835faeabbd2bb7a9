from typing import Any

import pytest

from memkube.apimachinery.field_errors import FieldPath
from memkube.apimachinery.model import Document
from memkube.apis.core.v1.persistentvolumes.strategy import PersistentVolumeStrategy
from memkube.apis.core.v1.persistentvolumes.types import PersistentVolume, PersistentVolumeSpec
from memkube.apis.core.v1.persistentvolumes.validation import (
    validate_inline_volume,
    validate_persistent_volume,
    validate_persistent_volume_update,
)

SPEC: Document = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/data"}}
CSI: Document = {"driver": "csi.example.com", "volumeHandle": "v"}
PORTAL = {"targetPortal": "10.0.0.1", "iqn": "iqn.2001-04.com.example:storage"}
SECRET = {"name": "s", "namespace": "n"}
TWO_TYPES = "Forbidden: may not specify more than 1 volume type"
NAME_FORMAT = "must be valid format"


def volume(spec: Document, annotations: Document | None = None) -> PersistentVolume:
    metadata = {"name": "disk", "resourceVersion": "1", "annotations": annotations or {}}
    made = PersistentVolume.from_document({"metadata": metadata, "spec": spec})
    PersistentVolumeStrategy().default(made)
    return made


def of_source(**sources: Any) -> Document:
    return {name: value for name, value in SPEC.items() if name != "hostPath"} | sources


def affinity(key: str, value: str = "a") -> Document:
    terms = [{"matchExpressions": [{"key": key, "operator": "In", "values": [value]}]}]
    return {"required": {"nodeSelectorTerms": terms}}


def messages(spec: Document) -> list[str]:
    return [str(error) for error in validate_persistent_volume(volume(spec))]


def update_messages(new: Document, old: Document) -> list[str]:
    errors = validate_persistent_volume_update(volume({**SPEC, **new}), volume({**SPEC, **old}))
    return [str(error) for error in errors]


@pytest.mark.parametrize(
    ("name", "source", "errors"),
    [
        ("glusterfs", {"endpoints": "e", "path": "p", "endpointsNamespace": ""}, ["endpointsNamespace: Invalid"]),
        ("glusterfs", {"endpoints": "e", "path": "p", "endpointsNamespace": "A"}, ["endpointsNamespace: Invalid"]),
        ("glusterfs", {"endpoints": "", "path": "p"}, ["endpoints: Required"]),
        ("rbd", {"monitors": [], "image": ""}, ["monitors: Required", "image: Required"]),
        ("cephfs", {"monitors": []}, ["monitors: Required"]),
        ("cinder", {"volumeID": "", "secretRef": {"name": "s"}}, ["volumeID: Req", "secretRef.namespace: Req"]),
        ("flexVolume", {"driver": "a/b", "options": {"k8s.io/x": "y"}}, ["options[k8s.io/x]: Invalid"]),
        ("azureFile", {"secretName": "s", "shareName": "x", "secretNamespace": ""}, ["secretNamespace: Required"]),
        ("scaleIO", {"gateway": "", "system": "s", "volumeName": "v"}, ["gateway: Required"]),
        ("storageos", {"volumeName": "v", "secretRef": {"namespace": "n"}}, ["secretRef.name: Required"]),
        ("storageos", {"volumeName": "V"}, ["volumeName: Invalid"]),
        ("csi", {"driver": "a_b", "volumeHandle": ""}, ["driver: Invalid", "volumeHandle: Required"]),
        ("csi", {**CSI, "nodeExpandSecretRef": {"name": "A", "namespace": ""}}, ["nodeExpandSecretRef.name: Invalid"]),
        ("csi", {**CSI, "nodeStageSecretRef": {}}, []),
        ("iscsi", {**PORTAL, "iqn": "abc"}, [f'iqn: Invalid value: "abc": {NAME_FORMAT}']),
        ("iscsi", {**PORTAL, "chapAuthSession": True}, ["secretRef: Required"]),
        ("iscsi", {**PORTAL, "secretRef": {"namespace": "n"}}, ["secretRef.name: Required"]),
        ("iscsi", {**PORTAL, "targetPortal": "x" * 60, "initiatorName": PORTAL["iqn"]}, ["targetportal: Invalid"]),
        ("iscsi", {**PORTAL, "lun": 256, "initiatorName": "eui"}, ["lun: Invalid", "initiatorname: Invalid"]),
        ("fc", {}, ["targetWWNs: Required"]),
        ("hostPath", {"path": "/a/../b"}, ["path: Invalid"]),
        ("nfs", {"server": "s", "path": "p"}, ["path: Invalid"]),
    ],
)
def test_each_source_has_its_rules(name: str, source: Document, errors: list[str]) -> None:
    found = messages(of_source(**{name: source}))
    starts = [f"spec.{name}.{error}" for error in errors]
    assert [message[: len(start)] for message, start in zip(found, starts, strict=False)] == starts
    assert bool(found) == bool(errors)


@pytest.mark.parametrize(
    ("sources", "error"),
    [
        ({}, "spec: Required value: must specify a volume type"),
        ({"hostPath": {"path": "/a"}, "cephfs": {"monitors": ["m"]}}, f"spec.cephFS: {TWO_TYPES}"),
        ({"nfs": {"server": "s", "path": "/p"}, "csi": CSI}, f"spec.csi: {TWO_TYPES}"),
        ({"gcePersistentDisk": {"pdName": ""}}, "spec.persistentDisk.pdName: Required value"),
        ({"local": {"path": "/a"}}, "spec.nodeAffinity: Required value: Local volume requires node affinity"),
    ],
)
def test_a_volume_has_one_source(sources: Document, error: str) -> None:
    assert messages(of_source(**sources)) == [error]


def test_a_plugins_volume_may_stand_beside_another() -> None:
    assert messages(of_source(nfs={"server": "s", "path": "/p"}, flexVolume={"driver": "a/b"})) == []


@pytest.mark.parametrize(
    ("capacity", "errors"),
    [
        ({}, ["Required value", 'Unsupported value: {}: supported values: "storage"']),
        ({"cpu": "1"}, ['Unsupported value: {"cpu":"1"}: supported values: "storage"']),
    ],
)
def test_the_capacity_is_one_of_storage(capacity: Document, errors: list[str]) -> None:
    assert messages({**SPEC, "capacity": capacity}) == [f"spec.capacity: {error}" for error in errors]


@pytest.mark.parametrize(
    ("amount", "errors"),
    [
        ("0", ['Invalid value: "0": must be greater than zero']),
        (
            "-1500m",
            [
                "Invalid value: -1: must be a valid resource quantity",
                'Invalid value: "-1500m": must be greater than zero',
            ],
        ),
    ],
)
def test_the_capacity_is_more_than_nothing(amount: str, errors: list[str]) -> None:
    found = messages({**SPEC, "capacity": {"storage": amount}})
    assert found == [f"spec.capacity[storage]: {error}" for error in errors]


@pytest.mark.parametrize(
    ("path", "allowed"), [("/", False), ("//", False), ("/a/", True), ("/.", False), ("root", True)]
)
def test_the_root_of_a_node_is_not_emptied(path: str, allowed: bool) -> None:
    spec = {**SPEC, "hostPath": {"path": path}, "persistentVolumeReclaimPolicy": "Recycle"}
    assert (messages(spec) == []) == allowed


@pytest.mark.parametrize(("source", "allowed"), [("hostPath", False), ("nfs", True)])
def test_some_types_take_no_mount_options(source: str, allowed: bool) -> None:
    key = "volume.beta.kubernetes.io/mount-options"
    spec = SPEC if source == "hostPath" else of_source(nfs={"server": "s", "path": "/p"})
    detail = "may not specify mount options for this volume type"
    expected = [] if allowed else [f"metadata.annotations.{key}: Forbidden: {detail}"]
    assert [str(error) for error in validate_persistent_volume(volume(spec, {key: "ro"}))] == expected


def test_a_source_stays() -> None:
    found = update_messages({"hostPath": {"path": "/other"}}, {})
    assert len(found) == 1
    assert found[0].startswith("spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable")
    assert '-  "Path": "/data"' in found[0].replace("   ", "  ")
    assert '+  "Path": "/other"' in found[0].replace("   ", "  ")


def test_a_secret_for_growing_may_be_added_once() -> None:
    old = {"hostPath": None, "csi": CSI}
    new = {"hostPath": None, "csi": {**CSI, "controllerExpandSecretRef": SECRET}}
    assert update_messages(new, old) == []
    changed = {"hostPath": None, "csi": {**CSI, "controllerExpandSecretRef": {**SECRET, "name": "t"}}}
    assert len(update_messages(changed, new)) == 1


@pytest.mark.parametrize(
    ("before", "after", "allowed"),
    [
        (None, affinity("zone"), True),
        (affinity("zone"), affinity("region"), False),
        (affinity("zone"), None, False),
        (affinity("beta.kubernetes.io/os"), affinity("kubernetes.io/os"), True),
        (affinity("beta.kubernetes.io/os"), affinity("kubernetes.io/os", "b"), False),
        (affinity("kubernetes.io/os"), affinity("beta.kubernetes.io/os"), False),
        (affinity("zone"), affinity(""), True),
    ],
)
def test_only_old_names_of_labels_may_give_way(before: Any, after: Any, allowed: bool) -> None:
    found = update_messages({"nodeAffinity": after}, {"nodeAffinity": before})
    immutable = [message for message in found if message.startswith("nodeAffinity: Invalid value: ")]
    assert (immutable == []) == allowed


def test_wrong_values_of_labels_may_stay() -> None:
    wrong = {"nodeAffinity": affinity("zone", "a b")}
    assert len(messages({**SPEC, **wrong})) == 1
    assert update_messages({**wrong, "storageClassName": "fast"}, wrong) == []


def test_a_class_of_attributes_is_for_drivers_and_is_not_taken_back() -> None:
    driven = {"hostPath": None, "csi": CSI}
    gold = {**driven, "volumeAttributesClassName": "gold"}
    missing = "spec.csi: Required value: has to be specified when using volumeAttributesClassName"
    assert messages({**SPEC, "volumeAttributesClassName": "gold"}) == [missing]
    refusal = "spec.volumeAttributesClassName: Forbidden: update from non-nil value to nil is forbidden"
    assert (update_messages(gold, driven), update_messages(driven, gold)) == ([], [refusal])


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"claimRef": {"name": "c"}}, "claimRef: Forbidden: may not be specified in the context of inline volumes"),
        ({"capacity": {"storage": "1"}}, "capacity: Forbidden: may not be specified in the context of inline volumes"),
        ({"persistentVolumeReclaimPolicy": "Delete"}, "persistentVolumeReclaimPolicy: Forbidden: may only be Retain"),
        ({"volumeMode": "Block"}, "volumeMode: Forbidden: may not specify volumeMode other than Filesystem"),
        ({"storageClassName": "a"}, "storageClassName: Forbidden: may not be specified"),
        ({"nodeAffinity": affinity("a")}, "nodeAffinity: Forbidden: may not be specified"),
        ({"csi": None, "hostPath": {"path": "/a"}}, "csi: Required value: has to be specified"),
    ],
)
def test_an_inline_volume_is_a_drivers_alone(fields: Document, error: str) -> None:
    spec = PersistentVolumeSpec.from_document({"accessModes": ["ReadWriteOnce"], "csi": CSI, **fields})
    (found,) = validate_inline_volume(spec, FieldPath("inline"))
    assert str(found).startswith(f"inline.{error}")
