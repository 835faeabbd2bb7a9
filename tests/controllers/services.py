"""Services, their pods and nodes, and their endpoints, for tests."""

from typing import Any

from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.model import Document
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.objects.stored import StoredObject
from tests.controllers.cluster import Cluster
from tests.controllers.workloads import listed

SERVICE_NAME = "kubernetes.io/service-name"
CHANGED = "endpoints.kubernetes.io/last-change-trigger-time"
ANY_PORT = [{"port": 80, "targetPort": 8080}]


def service(name: str = "web", **spec: Any) -> Document:
    """Return a Service that selects pods with the label ``app: web``."""
    spec = {"selector": {"app": "web"}, "ports": ANY_PORT, **spec}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec}


def node(name: str = "n1", zone: str = "", cpu: str = "", *, ready: bool = True, role: str = "") -> Document:
    zones = {"topology.kubernetes.io/zone": zone} if zone else {}
    condition = {"type": "Ready", "status": "True" if ready else "False"}
    status = {"conditions": [condition], **({"allocatable": {"cpu": cpu}} if cpu else {})}
    roles = {f"node-role.kubernetes.io/{role}": ""} if role else {}
    metadata = {"name": name, "labels": {**zones, **roles}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": {}, "status": status}


def backend(name: str, ip: str, on: str = "n1", *, ready: bool = True, **spec: Any) -> Document:
    """Return a running pod with an address and the label ``app: web``."""
    containers = [{"name": "app", "image": "nginx", "ports": [{"name": "http", "containerPort": 8080}]}]
    bound = {"nodeName": on} if on else {}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"app": "web"}},
        "spec": {"containers": containers, "terminationGracePeriodSeconds": 30, **bound, **spec},
        "status": serving(ip, ready=ready),
    }


def serving(ip: str, *, ready: bool = True, **fields: Any) -> Document:
    """Return the status of a running pod with an address."""
    condition = {"type": "Ready", "status": "True" if ready else "False", **fields}
    return {"phase": "Running", "podIP": ip, "podIPs": [{"ip": ip}], "conditions": [condition]}


def endpoints(name: str = "web", *subsets: Document, **metadata: Any) -> Document:
    metadata = {"name": name, **metadata}
    return {"apiVersion": "v1", "kind": "Endpoints", "metadata": metadata, "subsets": list(subsets)}


async def kill(cluster: Cluster, pod: str) -> None:
    """Delete a pod without a grace period."""
    context = WriteContext(namespace="default", manager="user")
    await cluster.store("pods").delete(pod, DeleteOptions(gracePeriodSeconds=0), context)
    await cluster.settle()


async def subsets(cluster: Cluster, name: str = "web") -> list[Document]:
    """Return the subsets of Endpoints."""
    found = await cluster.get("endpoints", name)
    assert found is not None
    known: list[Document] = found.get("subsets") or []
    return known


async def slices(cluster: Cluster, name: str = "web") -> list[StoredObject]:
    """Return the slices of a Service."""
    return [stored for stored in await listed(cluster, "endpointslices") if stored.labels.get(SERVICE_NAME) == name]


async def states(cluster: Cluster, name: str = "web") -> dict[str, str]:
    """Return the conditions that are true, by the address of each endpoint of a Service."""
    return {
        endpoint["addresses"][0]: " ".join(each for each, is_true in endpoint["conditions"].items() if is_true)
        for stored in await slices(cluster, name)
        for endpoint in stored.document["endpoints"] or ()
    }


async def messages(cluster: Cluster, reason: str) -> list[str]:
    """Return the messages of the events with a reason."""
    events = [stored.document for stored in await listed(cluster, "events")]
    return [event["message"] for event in events if event["reason"] == reason]
