"""DeviceClasses, ResourceSlices and ResourceClaims for tests of the allocation of devices."""

from typing import Any

from memkube.apimachinery.model import Document
from tests.controllers.cluster import Cluster

DRIVER = "gpu.example.com"
API = "resource.k8s.io/v1"


def device_class(name: str = "gpu", *selectors: str, **spec: Any) -> Document:
    """Return a DeviceClass with CEL selectors."""
    cel = [{"cel": {"expression": text}} for text in selectors or (f'device.driver == "{DRIVER}"',)]
    return {
        "apiVersion": API,
        "kind": "DeviceClass",
        "metadata": {"name": name},
        "spec": {"selectors": cel, **spec},
    }


def device(name: str, *, memory: str | None = None, **fields: Any) -> Document:
    """Return a device with its name as the attribute ``model``."""
    capacity = {"capacity": {"memory": {"value": memory}}} if memory else {}
    return {"name": name, "attributes": {"model": {"string": name}}, **capacity, **fields}


def resource_slice(pool: str, *devices: Document, name: str = "", slices: int = 1, **spec: Any) -> Document:
    """Return a slice of a pool; the pool's devices are available on the node of its name unless `spec` says more."""
    where = {"allNodes", "nodeSelector", "perDeviceNodeSelection", "nodeName"} & spec.keys()
    place = {} if where else {"nodeName": pool}
    pool_fields = {"name": pool, "generation": 1, "resourceSliceCount": slices}
    return {
        "apiVersion": API,
        "kind": "ResourceSlice",
        "metadata": {"name": name or pool},
        "spec": {
            "driver": DRIVER,
            "pool": pool_fields,
            **({"devices": list(devices)} if devices else {}),
            **place,
            **spec,
        },
    }


def request(name: str = "r", *selectors: str, class_name: str = "gpu", **exactly: Any) -> Document:
    """Return a request for devices of a class."""
    cel = [{"cel": {"expression": text}} for text in selectors]
    return {"name": name, "exactly": {"deviceClassName": class_name, "selectors": cel, **exactly}}


def claim(name: str, *requests: Document, **devices: Any) -> Document:
    """Return a ResourceClaim; by default it requests one device of the class ``gpu``."""
    spec = {"devices": {"requests": list(requests) or [request()], **devices}}
    return {"apiVersion": API, "kind": "ResourceClaim", "metadata": {"name": name}, "spec": spec}


def template(name: str, *requests: Document) -> Document:
    """Return a ResourceClaimTemplate."""
    spec = claim(name, *requests)["spec"]
    metadata = {"labels": {"app": "web"}}
    return {
        "apiVersion": API,
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": name},
        "spec": {"metadata": metadata, "spec": spec},
    }


def using(*claims: str, template: str = "") -> Document:
    """Return the field ``resourceClaims`` of a pod that uses these claims, and one made from a template."""
    references = [{"name": name, "resourceClaimName": name} for name in claims]
    return {
        "resourceClaims": references + ([{"name": "made", "resourceClaimTemplateName": template}] if template else [])
    }


async def allocation(cluster: Cluster, name: str) -> list[str]:
    """Return the devices that are allocated to a claim, each as ``request=pool/device``."""
    document = await cluster.get("resourceclaims", name)
    assert document is not None
    results = ((document["status"].get("allocation") or {}).get("devices") or {}).get("results") or ()
    return [f"{one['request']}={one['pool']}/{one['device']}" for one in results]


async def why_not(cluster: Cluster, name: str) -> str:
    """Return the message of the condition PodScheduled of a pod; empty if the pod was not tried."""
    document = await cluster.get("pods", name)
    assert document is not None
    conditions = document["status"].get("conditions") or ()
    return next((c.get("message", "") for c in conditions if c["type"] == "PodScheduled"), "")
