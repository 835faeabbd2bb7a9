"""Admission plugins for PersistentVolumeClaims and PersistentVolumes."""

import uuid
from collections.abc import Iterator

import httpx
import pytest

from memkube.apimachinery.model import Document
from memkube.server.server import Server
from memkube.server.settings import Settings

_CLASSES = "/apis/storage.k8s.io/v1/storageclasses"
_DEFAULT = "storageclass.kubernetes.io/is-default-class"
_OLD_DEFAULT = "storageclass.beta.kubernetes.io/is-default-class"
_CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class"
_MERGE = {"Content-Type": "application/merge-patch+json"}
_SPEC: Document = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}


@pytest.fixture
def own() -> Iterator[httpx.Client]:
    """A client of a new server, whose StorageClasses no other test sees, on a stepped clock."""
    settings = Settings(controllers=(), clock="stepped")
    with Server(settings).in_thread() as server, httpx.Client(base_url=server.url, trust_env=False) as connected:
        yield connected


def add_class(client: httpx.Client, name: str, *defaults: str, **fields: object) -> None:
    metadata = {"name": name, "annotations": dict.fromkeys(defaults, "true")}
    body = {"metadata": metadata, "provisioner": "example.com/disk", **fields}
    client.post(_CLASSES, json=body).raise_for_status()


def claim(client: httpx.Client, namespace: str = "default", annotations: Document | None = None, **spec: object) -> str:
    """Create a PersistentVolumeClaim, and return its URL path."""
    name = f"data-{uuid.uuid4().hex[:6]}"
    address = f"/api/v1/namespaces/{namespace}/persistentvolumeclaims"
    body = {"metadata": {"name": name, "annotations": annotations or {}}, "spec": {**_SPEC, **spec}}
    client.post(address, json=body).raise_for_status()
    return f"{address}/{name}"


def class_of(client: httpx.Client, address: str) -> str | None:
    found: str | None = client.get(address).json()["spec"].get("storageClassName")
    return found


def grow(client: httpx.Client, address: str, size: str = "2Gi") -> httpx.Response:
    return client.patch(address, json={"spec": {"resources": {"requests": {"storage": size}}}}, headers=_MERGE)


def bind(client: httpx.Client, address: str) -> None:
    status = {"phase": "Bound", "capacity": {"storage": "1Gi"}}
    client.patch(f"{address}/status", json={"status": status}, headers=_MERGE).raise_for_status()


@pytest.mark.parametrize("annotation", [_DEFAULT, _OLD_DEFAULT])
def test_a_claim_without_a_class_gets_the_default_one(own: httpx.Client, annotation: str) -> None:
    add_class(own, "slow")
    assert class_of(own, claim(own)) is None
    add_class(own, "fast", annotation)
    assert class_of(own, claim(own)) == "fast"


def test_no_class_is_a_class_too(own: httpx.Client) -> None:
    add_class(own, "fast", _DEFAULT)
    assert class_of(own, claim(own, storageClassName="")) == ""
    assert class_of(own, claim(own, annotations={_CLASS_ANNOTATION: "slow"})) is None


def test_of_two_default_classes_the_newest_is_taken_then_the_first_by_name(own: httpx.Client) -> None:
    add_class(own, "a", _DEFAULT)
    own.post("/memkube/v1/clock/advance", json={"seconds": 1}).raise_for_status()
    add_class(own, "c", _DEFAULT)
    add_class(own, "b", _DEFAULT)
    assert class_of(own, claim(own)) == "b"


def test_a_claim_keeps_the_finalizer_that_it_has(client: httpx.Client, namespace: str) -> None:
    address = f"/api/v1/namespaces/{namespace}/persistentvolumeclaims"
    protected = "kubernetes.io/pvc-protection"
    body = {"metadata": {"name": "data", "finalizers": [protected, "example.com/other"]}, "spec": _SPEC}
    assert client.post(address, json=body).json()["metadata"]["finalizers"] == [protected, "example.com/other"]


def test_only_a_bound_claim_grows(client: httpx.Client, namespace: str) -> None:
    address = claim(client, namespace, storageClassName="none")
    refused = grow(client, address).json()
    assert refused["code"] == 422  # the claim's own rules come first
    bind(client, address)
    why = "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support"
    assert why in grow(client, address).json()["message"]
    assert grow(client, address, "1Gi").status_code == 200


@pytest.mark.parametrize(("allowed", "code"), [(True, 200), (False, 403)])
def test_a_claim_grows_where_its_class_lets_it(client: httpx.Client, namespace: str, allowed: bool, code: int) -> None:
    name = f"class-{uuid.uuid4().hex[:6]}"
    add_class(client, name, allowVolumeExpansion=allowed)
    address = claim(client, namespace, storageClassName=name)
    bind(client, address)
    assert grow(client, address).status_code == code
