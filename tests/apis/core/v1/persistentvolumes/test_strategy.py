import uuid
from typing import Any

import httpx
import pytest

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.persistentvolumes.strategy import PersistentVolumeStrategy
from memkube.apis.core.v1.persistentvolumes.types import PersistentVolume

_VOLUMES = "/api/v1/persistentvolumes"
_MERGE = {"Content-Type": "application/merge-patch+json"}
_SPEC: Document = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]}


def warnings(spec: Document, **annotations: str) -> list[str]:
    document = {"metadata": {"name": "a", "annotations": annotations}, "spec": spec}
    return PersistentVolumeStrategy().warnings_on_create(PersistentVolume.from_document(document))


@pytest.fixture
def address(client: httpx.Client) -> str:
    """The URL path of a new PersistentVolume."""
    name = f"disk-{uuid.uuid4().hex[:6]}"
    body = {"metadata": {"name": name}, "spec": {**_SPEC, "hostPath": {"path": "/a"}}, "status": {"phase": "Bound"}}
    client.post(_VOLUMES, json=body).raise_for_status()
    return f"{_VOLUMES}/{name}"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("cephfs", "spec.cephfs: deprecated in v1.28, non-functional in v1.31+"),
        ("photonPersistentDisk", "spec.photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+"),
        ("scaleIO", "spec.scaleIO: deprecated in v1.16, non-functional in v1.22+"),
        ("storageos", "spec.storageOS: deprecated in v1.22, non-functional in v1.25+"),
        ("glusterfs", "spec.glusterfs: deprecated in v1.25, non-functional in v1.26+"),
        ("rbd", "spec.rbd: deprecated in v1.28, non-functional in v1.31+"),
    ],
)
def test_retired_types_are_warned_of(name: str, told: str) -> None:
    assert warnings({name: {}}) == [told]


def test_retired_annotations_policies_and_labels_are_warned_of() -> None:
    terms = [{"matchExpressions": [{"key": "beta.kubernetes.io/os", "operator": "Exists"}]}]
    spec = {"persistentVolumeReclaimPolicy": "Recycle", "nodeAffinity": {"required": {"nodeSelectorTerms": terms}}}
    annotation, policy, label = warnings(spec, **{"volume.beta.kubernetes.io/mount-options": "ro"})
    assert annotation.startswith(
        "metadata.annotations[volume.beta.kubernetes.io/mount-options]: deprecated since v1.31"
    )
    assert policy.startswith("spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated.")
    key = "spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key"
    assert label == f'{key}: beta.kubernetes.io/os is deprecated since v1.14; use "kubernetes.io/os" instead'


def test_a_new_volume_is_pending_since_it_was_made(client: httpx.Client, address: str) -> None:
    made = client.get(address).json()
    assert made["status"] == {"phase": "Pending", "lastPhaseTransitionTime": made["metadata"]["creationTimestamp"]}


@pytest.mark.parametrize(
    ("status", "kept"),
    [
        ({"message": "m"}, True),
        ({"lastPhaseTransitionTime": None}, True),
        ({"phase": "Bound", "lastPhaseTransitionTime": "2020-01-01T00:00:00Z"}, False),
    ],
)
def test_the_time_of_a_phase_is_the_clients_or_the_servers(
    client: httpx.Client, address: str, status: dict[str, Any], kept: bool
) -> None:
    before = client.get(address).json()["status"]["lastPhaseTransitionTime"]
    after = client.patch(f"{address}/status", json={"status": status}, headers=_MERGE).json()["status"]
    assert after["lastPhaseTransitionTime"] == (before if kept else status["lastPhaseTransitionTime"])


def test_a_claim_is_owned_in_parts(client: httpx.Client, address: str) -> None:
    body = {"apiVersion": "v1", "kind": "PersistentVolume", "spec": {"claimRef": {"name": "c", "namespace": "n"}}}
    headers = {"Content-Type": "application/apply-patch+yaml"}
    applied = client.patch(address, params={"fieldManager": "one"}, json=body, headers=headers).json()
    (entry,) = (e for e in applied["metadata"]["managedFields"] if e["manager"] == "one")
    assert entry["fieldsV1"] == {"f:spec": {"f:claimRef": {"f:name": {}, "f:namespace": {}}}}
