"""Pods of StatefulSets with claims, from the creation of the claim to the running container."""

from typing import Any

import pytest

from memkube.apimachinery.model import Document
from memkube.apis.storage.v1.classes import SIMULATED_PROVISIONER
from memkube.controllers.available import KUBELET, NODE_LIFECYCLE, PROVISIONER
from tests.controllers.cluster import Cluster, running
from tests.controllers.volumes.storage import BINDER, CLAIMS, PROTECTION, phase, storage_class, volume_of
from tests.controllers.workloads import TEMPLATE

pytestmark = pytest.mark.anyio

_CLUSTER = ("scheduler", KUBELET, NODE_LIFECYCLE, "statefulset-controller", BINDER, PROVISIONER, *PROTECTION)


def database(replicas: int, storage_class_name: str) -> Document:
    request = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    template = {"metadata": {"name": "data"}, "spec": {**request, "storageClassName": storage_class_name}}
    mounted = {**TEMPLATE["spec"]["containers"][0], "volumeMounts": [{"name": "data", "mountPath": "/data"}]}
    pods = {**TEMPLATE, "spec": {"containers": [mounted]}}
    selector = {"matchLabels": {"app": "web"}}
    spec = {"replicas": replicas, "serviceName": "db", "selector": selector, "template": pods}
    head = {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db"}}
    return {**head, "spec": {**spec, "volumeClaimTemplates": [template]}}


async def run(cluster: Cluster, mode: str, **fields: Any) -> None:
    await cluster.create(storage_class("standard", SIMULATED_PROVISIONER, volumeBindingMode=mode, **fields))
    await cluster.create(database(2, "standard"))
    await cluster.clock.advance(30)


@pytest.mark.parametrize("mode", ["Immediate", "WaitForFirstConsumer"])
async def test_the_pods_of_a_stateful_set_run_with_their_claims(mode: str) -> None:
    async with running(*_CLUSTER, nodes=2) as cluster:
        await run(cluster, mode)
        assert [await phase(cluster, "pods", f"db-{number}") for number in range(2)] == ["Running"] * 2
        assert None not in [await volume_of(cluster, f"data-db-{number}") for number in range(2)]


async def test_a_pod_returns_to_the_node_of_its_volume() -> None:
    async with running(*_CLUSTER, nodes=3) as cluster:
        await run(cluster, "WaitForFirstConsumer")
        first = await cluster.get("pods", "db-0")
        await cluster.delete("pods", "db-0")
        await cluster.clock.advance(60)
        second = await cluster.get("pods", "db-0")
        assert first is not None
        assert second is not None
        assert first["metadata"]["uid"] != second["metadata"]["uid"]
        assert first["spec"]["nodeName"] == second["spec"]["nodeName"]


async def test_a_claim_in_use_is_deleted_with_its_last_pod() -> None:
    async with running(*_CLUSTER) as cluster:
        await run(cluster, "Immediate")
        await cluster.delete(CLAIMS, "data-db-1")
        assert await phase(cluster, CLAIMS, "data-db-1") == "Bound"
        await cluster.delete("statefulsets", "db")
        await cluster.delete("pods", "db-1")
        await cluster.clock.advance(60)
        assert await cluster.get(CLAIMS, "data-db-1") is None
