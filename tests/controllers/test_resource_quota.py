from typing import Any

import pytest

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from tests.controllers.cluster import CONTAINERS, READY, Cluster, config_map, pod, running, widgets

pytestmark = pytest.mark.anyio

NAME = "resourcequota-controller"
GOLD = "gold.storageclass.storage.k8s.io"


def quota(hard: dict[str, str], name: str = "q", **spec: Any) -> Document:
    return {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": name}, "spec": {"hard": hard, **spec}}


def claim(name: str, storage: str, **spec: Any) -> Document:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": storage}}, **spec}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": spec}


def service(name: str, **spec: Any) -> Document:
    spec = {"ports": [{"name": "a", "port": 80}, {"name": "b", "port": 81}], **spec}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec}


async def status(cluster: Cluster, name: str = "q") -> Document:
    document = await cluster.get("resourcequotas", name)
    assert document is not None
    found: Document = document["status"]
    return found


async def used(cluster: Cluster, name: str = "q") -> dict[str, str]:
    found: dict[str, str] = (await status(cluster, name)).get("used", {})
    return found


async def test_a_new_quota_counts_existing_objects_and_may_be_exceeded() -> None:
    async with running(NAME) as cluster:
        await cluster.create(pod("a"))
        await cluster.create(pod("b"))
        await cluster.create(quota({"pods": "1", "count/configmaps": "2"}))
        hard = {"count/configmaps": "2", "pods": "1"}
        assert await status(cluster) == {"hard": hard, "used": {"count/configmaps": "0", "pods": "2"}}
        with pytest.raises(ApiError, match="exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=1"):
            await cluster.create(pod("c"))


async def test_a_deletion_makes_room_again() -> None:
    async with running(NAME) as cluster:
        await cluster.create(quota({"count/configmaps": "1"}))
        for name in ("a", "b", "c"):
            await cluster.create(config_map(name))
            assert await used(cluster) == {"count/configmaps": "1"}
            await cluster.delete("configmaps", name)
            assert await used(cluster) == {"count/configmaps": "0"}


async def test_a_failed_creation_is_charged_until_the_next_resync() -> None:
    async with running(NAME) as cluster:
        await cluster.create(quota({"count/configmaps": "5"}))
        await cluster.create(config_map("a"))
        with pytest.raises(ApiError, match="already exists"):
            await cluster.create(config_map("a"))
        assert await used(cluster) == {"count/configmaps": "2"}
        await cluster.clock.advance(300)
        assert await used(cluster) == {"count/configmaps": "1"}


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
async def test_an_ended_pod_counts_only_as_an_object(phase: str) -> None:
    async with running(NAME) as cluster:
        await cluster.create(quota({"pods": "5", "count/pods": "5"}))
        await cluster.create(pod("a", {"phase": phase}))
        assert await used(cluster) == {"count/pods": "1", "pods": "0"}


async def test_a_ready_pod_causes_no_calculation() -> None:
    async with running(NAME) as cluster:
        await cluster.create(quota({"pods": "5"}))
        await cluster.change(
            "resourcequotas", "q", "default", "status", status={"hard": {"pods": "5"}, "used": {"pods": "4"}}
        )
        await cluster.create(pod("a", READY))
        assert await used(cluster) == {"pods": "5"}


async def test_a_pod_past_its_grace_period_is_not_counted_at_the_next_calculation() -> None:
    async with running(NAME) as cluster:
        await cluster.create(quota({"pods": "5"}))
        await cluster.create({**pod("a"), "spec": {"containers": CONTAINERS, "nodeName": "n"}})
        await cluster.delete("pods", "a")
        assert await used(cluster) == {"pods": "1"}
        await cluster.clock.advance(300)
        assert await used(cluster) == {"pods": "0"}


async def test_a_pod_moves_between_the_scopes_with_its_deadline() -> None:
    async with running(NAME) as cluster:
        await cluster.create(quota({"pods": "5"}, "t", scopes=["Terminating"]))
        await cluster.create(quota({"pods": "5"}, "n", scopes=["NotTerminating"]))
        await cluster.create(pod("a"))
        document = await cluster.get("pods", "a")
        assert document is not None
        await cluster.change("pods", "a", spec={**document["spec"], "activeDeadlineSeconds": 60})
        assert (await used(cluster, "t"), await used(cluster, "n")) == ({"pods": "1"}, {"pods": "0"})


async def test_changed_limits_replace_those_of_the_status() -> None:
    async with running(NAME) as cluster:
        await cluster.create(quota({"pods": "1", "configmaps": "5"}))
        await cluster.change("resourcequotas", "q", spec={"hard": {"pods": "3", "secrets": "4"}})
        limits = {"pods": "3", "secrets": "4"}
        assert await status(cluster) == {"hard": limits, "used": {"pods": "0", "secrets": "0"}}


async def test_a_service_that_loses_its_node_ports_frees_them() -> None:
    async with running(NAME) as cluster:
        await cluster.create(quota({"services.nodeports": "2"}))
        await cluster.create(service("a", type="NodePort"))
        assert await used(cluster) == {"services.nodeports": "2"}
        await cluster.change("services", "a", spec=service("a")["spec"])
        assert await used(cluster) == {"services.nodeports": "0"}


async def test_storage_is_summed_in_total_and_by_class() -> None:
    async with running(NAME, "persistentvolumeclaim-protection-controller") as cluster:
        await cluster.create(quota({"requests.storage": "10Gi", f"{GOLD}/requests.storage": "10Gi"}))
        await cluster.create(claim("a", "3Gi", storageClassName="gold"))
        await cluster.create(claim("b", "512Mi"))
        await cluster.create(claim("c", "1Gi"))
        await cluster.delete("persistentvolumeclaims", "c")
        assert await used(cluster) == {f"{GOLD}/requests.storage": "3Gi", "requests.storage": "3584Mi"}


async def test_claims_count_in_the_scope_of_their_attributes_class() -> None:
    async with running(NAME) as cluster:
        gold = {"scopeName": "VolumeAttributesClass", "operator": "In", "values": ["gold"]}
        await cluster.create(quota({"persistentvolumeclaims": "5"}, scopeSelector={"matchExpressions": [gold]}))
        await cluster.create(claim("a", "1Gi", volumeAttributesClassName="gold"))
        await cluster.create(claim("b", "1Gi", volumeAttributesClassName="iron"))
        lead = {"currentVolumeAttributesClassName": "gold", "phase": "Pending"}
        await cluster.change("persistentvolumeclaims", "b", "default", "status", status=lead)
        assert await used(cluster) == {"persistentvolumeclaims": "2"}


async def test_devices_of_claims_are_freed_with_the_claim() -> None:
    async with running(NAME) as cluster:
        name = "gpu.deviceclass.resource.k8s.io/devices"
        exactly = {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 3}
        spec = {"devices": {"requests": [{"name": "a", "exactly": exactly}]}}
        await cluster.create(quota({name: "5"}))
        body = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "a"}, "spec": spec}
        await cluster.create(body)
        assert await used(cluster) == {name: "3"}
        await cluster.delete("resourceclaims", "a")
        assert await used(cluster) == {name: "0"}


async def test_objects_of_a_custom_kind_are_counted_once_it_is_served() -> None:
    async with running(NAME) as cluster:
        await cluster.create(quota({"count/widgets.example.com": "5"}))
        assert await used(cluster) == {}
        cluster.registry.catalog.add(widgets("example.com", "Widget"))
        await cluster.clock.advance(300)
        await cluster.create({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}})
        assert await used(cluster) == {"count/widgets.example.com": "1"}
        await cluster.delete("widgets", "w")
        assert await used(cluster) == {"count/widgets.example.com": "0"}


async def test_a_quota_with_scopes_counts_no_objects_without_scopes() -> None:
    async with running(NAME) as cluster:
        await cluster.create(quota({"pods": "5"}, scopes=["NotBestEffort"]))
        await cluster.create(pod("a"))
        assert await used(cluster) == {"pods": "0"}


async def test_a_quota_that_others_wrote_meanwhile_is_calculated_anew() -> None:
    async with running(NAME, "replicaset-controller") as cluster:
        await cluster.create(quota({"pods": "3"}))
        template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": CONTAINERS}}
        spec = {"replicas": 5, "selector": {"matchLabels": {"app": "web"}}, "template": template}
        await cluster.create({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"}, "spec": spec})
        assert await used(cluster) == {"pods": "3"}
        await cluster.change("replicasets", "web", spec={**spec, "replicas": 1})
        assert await used(cluster) == {"pods": "1"}


async def test_the_last_quota_ends_the_resyncs() -> None:
    async with running(NAME) as cluster:
        await cluster.create(quota({"pods": "3"}))
        await cluster.delete("resourcequotas", "q")
        await cluster.clock.advance(300)
        assert cluster.clock.timers == 0
