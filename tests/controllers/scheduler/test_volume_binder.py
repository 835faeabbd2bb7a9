from typing import Any

import pytest

from memkube.apimachinery.model import Document
from memkube.apis.storage.v1.classes import SIMULATED_PROVISIONER
from memkube.controllers.available import PROVISIONER
from tests.controllers.cluster import Cluster, running
from tests.controllers.scheduler.scheduling import add_node, node, node_of, refusal, scheduled_condition
from tests.controllers.volumes.storage import (
    BINDER,
    CLAIMS,
    VOLUMES,
    annotations,
    claim,
    storage_class,
    user,
    volume,
    volume_of,
)

pytestmark = pytest.mark.anyio

_SELECTED = "volume.kubernetes.io/selected-node"
_LATE = {"volumeBindingMode": "WaitForFirstConsumer"}
_LOCAL = "kubernetes.io/no-provisioner"
_FAILED = 'running PreBind plugin "VolumeBinding": binding volumes: '


def local(name: str, where: str, size: str = "1Gi", **spec: Any) -> Document:
    """Return a volume that only one node can access."""
    expression = {"key": "kubernetes.io/hostname", "operator": "In", "values": [where]}
    affinity = {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}
    return volume(name, size, storageClassName="late", local={"path": "/a"}, nodeAffinity=affinity, **spec)


async def prepare(cluster: Cluster, provisioner: str, *names: str) -> None:
    for name in names:
        await add_node(cluster, node(name))
    await cluster.create(storage_class("late", provisioner, **_LATE))


async def test_a_pod_gets_a_node_with_a_volume_for_its_claim() -> None:
    async with running("scheduler", BINDER) as cluster:
        await prepare(cluster, _LOCAL, "a", "b")
        await cluster.create(local("disk", "b"))
        await cluster.create(claim(storageClassName="late"))
        await cluster.create(user())
        assert (await volume_of(cluster), await node_of(cluster, "web")) == ("disk", "b")


async def test_the_claims_of_a_pod_get_the_smallest_volumes_of_one_node() -> None:
    async with running("scheduler", BINDER) as cluster:
        await prepare(cluster, _LOCAL, "a", "b")
        for disk in (
            local("a1", "a", "9Gi"),
            local("b1", "b", "1Gi"),
            local("b2", "b", "5Gi"),
            local("b3", "b", "7Gi"),
        ):
            await cluster.create(disk)
        await cluster.create(claim("large", "2Gi", storageClassName="late"))
        await cluster.create(claim("small", storageClassName="late"))
        volumes = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in ("large", "small")]
        await cluster.create(user(volumes=volumes))
        assert [await volume_of(cluster, name) for name in ("large", "small")] == ["b2", "b1"]
        assert await node_of(cluster, "web") == "b"


async def test_two_pods_do_not_get_the_same_volume() -> None:
    async with running("scheduler", BINDER) as cluster:
        await prepare(cluster, _LOCAL, "a", "b")
        await cluster.create(local("disk", "a"))
        for name in ("one", "two"):
            await cluster.create(claim(name, storageClassName="late"))
            await cluster.create(user(name, name))
        assert await node_of(cluster, "one") == "a"
        why = "2 node(s) didn't find available persistent volumes to bind."
        assert await refusal(cluster, "two") == f"0/2 nodes are available: {why}"


async def test_a_reserved_volume_decides_the_node() -> None:
    async with running("scheduler", BINDER) as cluster:
        await prepare(cluster, _LOCAL, "a", "b")
        await cluster.create(local("other", "a"))
        await cluster.create(claim(storageClassName="late"))
        await cluster.create(local("disk", "b", claimRef={"namespace": "default", "name": "data"}))
        await cluster.create(user())
        assert (await volume_of(cluster), await node_of(cluster, "web")) == ("disk", "b")


async def test_a_delayed_claim_is_provisioned_where_its_pod_goes() -> None:
    async with running("scheduler", BINDER, PROVISIONER) as cluster:
        await prepare(cluster, SIMULATED_PROVISIONER, "a", "b")
        await cluster.create(claim(storageClassName="late"))
        await cluster.create(user(nodeSelector={"kubernetes.io/hostname": "b"}))
        assert await node_of(cluster, "web") == "b"
        assert (await annotations(cluster, CLAIMS, "data"))[_SELECTED] == "b"
        found = await cluster.get(VOLUMES, await volume_of(cluster) or "", "")
        assert found is not None
        terms = found["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"]
        assert terms[0]["matchExpressions"][0]["values"] == ["b"]


async def test_a_pod_waits_for_the_provisioner_without_holding_up_others() -> None:
    async with running("scheduler", BINDER) as cluster:
        await prepare(cluster, "example.com/p", "a")
        await cluster.create(claim(storageClassName="late"))
        await cluster.create(user())
        await cluster.create(user("other", volumes=[]))
        assert (await node_of(cluster, "web"), await node_of(cluster, "other")) == (None, "a")
        assert (await annotations(cluster, CLAIMS, "data"))[_SELECTED] == "a"


async def test_a_pod_fails_if_its_claim_is_not_bound_within_ten_minutes() -> None:
    async with running("scheduler", BINDER) as cluster:
        await prepare(cluster, "example.com/p", "a")
        await cluster.create(claim(storageClassName="late"))
        await cluster.create(user())
        await cluster.clock.advance(600)
        condition = await scheduled_condition(cluster, "web")
        assert condition["message"] == f"{_FAILED}context deadline exceeded"


async def test_a_pod_is_retried_if_its_provisioner_gives_up() -> None:
    async with running("scheduler", BINDER) as cluster:
        await prepare(cluster, "example.com/p", "a")
        await cluster.create(claim(storageClassName="late"))
        await cluster.create(user())
        found = await annotations(cluster, CLAIMS, "data")
        kept = {name: value for name, value in found.items() if name != _SELECTED}
        await cluster.change(CLAIMS, "data", metadata={"annotations": kept})
        condition = await scheduled_condition(cluster, "web")
        assert condition["message"] == f'{_FAILED}provisioning failed for PVC "data"'
        assert _SELECTED not in await annotations(cluster, CLAIMS, "data")
        await cluster.clock.advance(2)
        assert (await annotations(cluster, CLAIMS, "data"))[_SELECTED] == "a"


async def test_a_pod_that_is_deleted_is_waited_for_no_longer() -> None:
    async with running("scheduler", BINDER) as cluster:
        await prepare(cluster, "example.com/p", "a")
        await cluster.create(claim(storageClassName="late"))
        await cluster.create(user())
        await cluster.delete("pods", "web")
        await cluster.clock.advance(600)
        assert await cluster.get("pods", "web") is None


async def test_a_claim_stays_on_the_node_that_was_selected_for_it() -> None:
    async with running("scheduler", BINDER) as cluster:
        await prepare(cluster, "example.com/p", "a", "b")
        await cluster.create(claim(storageClassName="late", metadata={"annotations": {_SELECTED: "b"}}))
        await cluster.create(user(nodeSelector={"kubernetes.io/hostname": "a"}))
        condition = await scheduled_condition(cluster, "web")
        assert "1 node(s) didn't find available persistent volumes to bind" in condition["message"]
