"""Volumes, claims and StorageClasses, and functions that read their state."""

from typing import Any

from memkube.apimachinery.model import Document
from memkube.registry.declarations.request_options import ListOptions
from tests.controllers.cluster import CONTAINERS, Cluster

BINDER = "persistentvolume-binder-controller"
PROTECTION = ("persistentvolume-protection-controller", "persistentvolumeclaim-protection-controller")
CLAIMS = "persistentvolumeclaims"
VOLUMES = "persistentvolumes"
NFS = {"nfs": {"server": "s", "path": "/p"}}
RESYNC = 15


def claim(name: str = "data", size: str = "1Gi", metadata: Document | None = None, **spec: Any) -> Document:
    given = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}, **spec}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, **(metadata or {})},
        "spec": given,
    }


def volume(name: str = "disk", size: str = "1Gi", metadata: Document | None = None, **spec: Any) -> Document:
    sources = {} if {"hostPath", "csi", "local", "awsElasticBlockStore"} & spec.keys() else NFS
    given = {"capacity": {"storage": size}, "accessModes": ["ReadWriteOnce"], **sources, **spec}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name, **(metadata or {})},
        "spec": given,
    }


def storage_class(name: str, provisioner: str = "example.com/p", **fields: Any) -> Document:
    metadata = {"name": name, **fields.pop("metadata", {})}
    head = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": metadata}
    return {**head, "provisioner": provisioner, **fields}


def user(name: str = "web", claim_name: str = "data", **spec: Any) -> Document:
    """Return a pod that uses a claim."""
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": claim_name}}]
    head = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}}
    return {**head, "spec": {"containers": CONTAINERS, "volumes": volumes, **spec}}


async def phase(cluster: Cluster, plural: str, name: str) -> str | None:
    found = await cluster.get(plural, name, "" if plural == VOLUMES else "default")
    return None if found is None else str(found["status"]["phase"])


async def volume_of(cluster: Cluster, name: str = "data") -> str | None:
    """Return the volume of a claim if both are bound to each other, otherwise None."""
    found = await cluster.get(CLAIMS, name)
    assert found is not None
    volume_name = found["spec"].get("volumeName", "")
    bound = await cluster.get(VOLUMES, volume_name, "")
    if found["status"]["phase"] != "Bound" or bound is None or bound["status"]["phase"] != "Bound":
        return None
    assert bound["spec"]["claimRef"]["uid"] == found["metadata"]["uid"]
    return str(volume_name)


async def annotations(cluster: Cluster, plural: str, name: str) -> Document:
    found = await cluster.get(plural, name, "" if plural == VOLUMES else "default")
    assert found is not None
    annotated: Document = found["metadata"].get("annotations", {})
    return annotated


async def reports(cluster: Cluster, name: str) -> list[tuple[str, str, str]]:
    """Return type, reason and message of the events about an object."""
    listed = await cluster.store("events").list("default", ListOptions())
    events = [stored.document for stored in listed.items]
    return [(e["type"], e["reason"], e["message"]) for e in events if e["involvedObject"]["name"] == name]
