from typing import Any

import pytest

from tests.controllers.cluster import owned_by, pod, running
from tests.controllers.workloads import listed, reports, status, workload

CONTROLLER = "statefulset"

pytestmark = pytest.mark.anyio


async def test_a_pod_knows_which_one_it_is() -> None:
    async with running(CONTROLLER) as cluster:
        owner = await cluster.create(workload("StatefulSet", 1, serviceName="nginx"))
        (made,) = await listed(cluster)
        assert made.labels == {
            "app": "web",
            "apps.kubernetes.io/pod-index": "0",
            "controller-revision-hash": (await status(cluster, "statefulsets"))["updateRevision"],
            "statefulset.kubernetes.io/pod-name": "web-0",
        }
        assert made.document["metadata"]["ownerReferences"] == [
            owned_by(owner, controller=True, blockOwnerDeletion=True)
        ]
        spec = made.document["spec"]
        assert (spec["hostname"], spec["subdomain"]) == ("web-0", "nginx")


@pytest.mark.parametrize(("name", "adopted"), [("web-0", True), ("web-x", False), ("other-0", False)])
async def test_a_pod_of_a_fitting_name_is_adopted(name: str, adopted: bool) -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(pod(name))
        await cluster.create(workload("StatefulSet", 1))
        found = await cluster.get("pods", name)
        assert found is not None
        assert ("ownerReferences" in found["metadata"]) == adopted


async def test_an_adopted_pod_is_labelled_once_it_serves() -> None:
    ready: dict[str, Any] = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    async with running(CONTROLLER) as cluster:
        await cluster.create(pod("web-0", ready))
        await cluster.create(workload("StatefulSet", 1, updateStrategy={"type": "OnDelete"}))
        (adopted,) = await listed(cluster)
        assert adopted.labels["statefulset.kubernetes.io/pod-name"] == "web-0"
        assert await reports(cluster, "SuccessfulUpdate") == ["Update Pod web-0 in StatefulSet web successful"]


async def test_a_pod_that_is_selected_no_more_is_let_go() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(workload("StatefulSet", 1))
        await cluster.change("pods", "web-0", metadata={"labels": {"app": "other"}})
        (released,) = await listed(cluster)
        assert "ownerReferences" not in released.document["metadata"]
