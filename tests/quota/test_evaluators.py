from typing import Any

import httpx
import pytest

from tests.quota.quotas import Quota

_MERGE = {"Content-Type": "application/merge-patch+json"}
_PORTS = [{"name": "a", "port": 80}, {"name": "b", "port": 81}]


@pytest.fixture
def services(namespace: str) -> str:
    """The URL path of the Services in the test's namespace."""
    return f"/api/v1/namespaces/{namespace}/services"


@pytest.mark.parametrize(
    ("spec", "charged"),
    [
        ({"type": "ClusterIP"}, ("1", "0", "0")),
        ({"type": "NodePort"}, ("1", "2", "0")),
        ({"type": "LoadBalancer"}, ("1", "2", "1")),
        ({"type": "LoadBalancer", "allocateLoadBalancerNodePorts": False}, ("1", "0", "1")),
    ],
)
def test_ports_of_nodes_and_balancers_are_counted(
    client: httpx.Client, services: str, quota: Quota, spec: dict[str, Any], charged: tuple[str, ...]
) -> None:
    names = ("services", "services.nodeports", "services.loadbalancers")
    quota.limit(dict.fromkeys(names, "5"))
    client.post(services, json={"metadata": {"name": "web"}, "spec": {"ports": _PORTS, **spec}}).raise_for_status()
    assert quota.used() == dict(zip(names, charged, strict=True))


def test_a_change_of_the_type_is_charged(client: httpx.Client, services: str, quota: Quota) -> None:
    quota.limit({"services.nodeports": "1"})
    client.post(services, json={"metadata": {"name": "web"}, "spec": {"ports": _PORTS}}).raise_for_status()
    refused = client.patch(f"{services}/web", json={"spec": {"type": "NodePort"}}, headers=_MERGE)
    assert refused.status_code == 403


def test_storage_is_counted_by_class_too(client: httpx.Client, namespace: str, quota: Quota) -> None:
    gold = "gold.storageclass.storage.k8s.io"
    names = ("persistentvolumeclaims", "requests.storage", f"{gold}/requests.storage", f"{gold}/persistentvolumeclaims")
    quota.limit(dict.fromkeys(names, "1Ti"))
    spec = {"storageClassName": "gold", "accessModes": ["ReadWriteOnce"]}
    for name, storage in (("a", "1Gi"), ("b", "512m")):
        body = {"metadata": {"name": name}, "spec": {**spec, "resources": {"requests": {"storage": storage}}}}
        client.post(f"/api/v1/namespaces/{namespace}/persistentvolumeclaims", json=body).raise_for_status()
    assert quota.used() == dict(zip(names, ("2", "1073741825", "1073741825", "2"), strict=True))


def test_devices_are_counted_by_class(client: httpx.Client, namespace: str, quota: Quota) -> None:
    classes = "/apis/resource.k8s.io/v1/deviceclasses"
    client.post(
        classes, json={"metadata": {"name": f"{namespace}"}, "spec": {"extendedResourceName": "example.com/gpu"}}
    ).raise_for_status()
    per_class = f"{namespace}.deviceclass.resource.k8s.io/devices"
    names = (per_class, "requests.example.com/gpu", f"requests.deviceclass.resource.kubernetes.io/{namespace}")
    quota.limit(dict.fromkeys((*names, "count/resourceclaims.resource.k8s.io"), "100"))
    few = {"deviceClassName": namespace, "allocationMode": "ExactCount", "count": 3}
    requests = [
        {"name": "a", "exactly": few},
        {"name": "b", "firstAvailable": [{"name": "x", **few}, {"name": "y", **few, "count": 5}]},
    ]
    body = {"metadata": {"name": "web"}, "spec": {"devices": {"requests": requests}}}
    client.post(f"/apis/resource.k8s.io/v1/namespaces/{namespace}/resourceclaims", json=body).raise_for_status()
    assert quota.used() == {**dict.fromkeys(names, "8"), "count/resourceclaims.resource.k8s.io": "1"}
