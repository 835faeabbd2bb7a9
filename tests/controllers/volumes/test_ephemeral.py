from typing import Any

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.cluster import CONTAINERS, running
from tests.controllers.volumes.storage import CLAIMS, claim, reports

pytestmark = pytest.mark.anyio

_CONTROLLER = "ephemeral-volume-controller"
_NAME = "web-scratch"


def pod(**metadata: Any) -> Document:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    template = {"metadata": metadata, "spec": spec}
    volumes = [{"name": "scratch", "ephemeral": {"volumeClaimTemplate": template}}]
    head = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}}
    return {**head, "spec": {"containers": CONTAINERS, "volumes": volumes}}


async def test_a_pod_owns_the_claim_of_its_ephemeral_volume() -> None:
    async with running(_CONTROLLER) as cluster:
        created = await cluster.create(pod(labels={"a": "b"}, annotations={"c": "d"}))
        found = await cluster.get(CLAIMS, _NAME)
        assert found is not None
        metadata = found["metadata"]
        assert (metadata["labels"], metadata["annotations"]) == ({"a": "b"}, {"c": "d"})
        owner = {"apiVersion": "v1", "kind": "Pod", "name": "web", "uid": created.uid}
        assert metadata["ownerReferences"] == [{**owner, "controller": True, "blockOwnerDeletion": True}]


async def test_a_deleted_claim_is_created_again() -> None:
    async with running(_CONTROLLER) as cluster:
        await cluster.create(pod())
        first = await cluster.get(CLAIMS, _NAME)
        await cluster.change(CLAIMS, _NAME, metadata={"finalizers": []})
        await cluster.delete(CLAIMS, _NAME)
        second = await cluster.get(CLAIMS, _NAME)
        assert first is not None
        assert second is not None
        assert first["metadata"]["uid"] != second["metadata"]["uid"]


async def test_a_claim_that_the_pod_does_not_own_is_reported() -> None:
    async with running(_CONTROLLER) as cluster:
        await cluster.create(claim(_NAME))
        await cluster.create(pod())
        why = f"PVC default/{_NAME} was not created for pod default/web (pod is not owner)"
        assert await reports(cluster, "web") == [("Warning", "FailedBinding", f"ephemeral volume scratch: {why}")]
