from typing import Any

import pytest

from memkube.apis.core.v1.pods.types import Pod
from memkube.controllers.stages.played_kinds import NODE_IP
from tests.controllers.cluster import Cluster
from tests.controllers.stages.stages import (
    among,
    events,
    missing,
    node,
    node_ready,
    playing,
    pod_delete,
    pod_on,
    pod_ready,
    stage,
)

pytestmark = pytest.mark.anyio


async def status(cluster: Cluster, name: str = "p") -> dict[str, Any]:
    pod = await cluster.get("pods", name)
    assert pod is not None
    found: dict[str, Any] = pod["status"]
    return found


async def phase(cluster: Cluster, name: str = "p") -> str:
    return str((await status(cluster, name))["phase"])


async def test_a_stage_plays_pods_instead_of_the_kubelet() -> None:
    async with playing(pod_ready()) as cluster:
        await cluster.create(pod_on("node-1"))
        found = await status(cluster)
        assert (found["phase"], found["hostIP"], found["podIP"]) == ("Running", "172.16.0.1", "10.244.1.2")
        assert "containerID" not in found["containerStatuses"][0]


async def test_without_stages_the_kubelet_runs_pods() -> None:
    async with playing() as cluster:
        await cluster.create(pod_on("node-1"))
        assert "containerID" in (await status(cluster))["containerStatuses"][0]


async def test_the_kubelet_runs_pods_again_after_the_last_stage_is_deleted() -> None:
    async with playing(pod_ready()) as cluster:
        await cluster.create(pod_on("node-1"))
        await cluster.delete("stages", "pod-ready", namespace="")
        found = await status(cluster)
        assert (found["podIP"], "containerID" in found["containerStatuses"][0]) == ("10.244.1.2", True)


async def test_a_stage_stops_the_pods_that_the_kubelet_runs() -> None:
    async with playing() as cluster:
        kubelet = cluster.manager.kubelet
        assert kubelet is not None
        stored = await cluster.create(pod_on("node-1"))
        pod = Pod.from_document(stored.document)
        assert kubelet.simulated(pod) is not None
        await cluster.create(pod_ready())
        assert kubelet.simulated(pod) is None


async def test_stages_play_pods_on_nodes_that_users_create() -> None:
    async with playing(pod_ready(), controllers="stages") as cluster:
        await cluster.create(pod_on("n1"))
        assert await phase(cluster) == "Pending"
        await cluster.create(node("n1"))
        found = await status(cluster)
        assert (found["phase"], found["hostIP"], found["podIP"]) == ("Running", NODE_IP, "10.240.0.2")


async def test_pods_get_addresses_of_their_nodes_block_which_are_used_again() -> None:
    async with playing(pod_ready(), pod_delete(), controllers="stages") as cluster:
        document = node("n1")
        await cluster.create({**document, "spec": {"podCIDR": "10.9.8.0/24", "podCIDRs": ["10.9.8.0/24"]}})
        for name in ("a", "b"):
            await cluster.create(pod_on("n1", name))
        assert [(await status(cluster, name))["podIP"] for name in ("a", "b")] == ["10.9.8.2", "10.9.8.3"]
        await cluster.delete("pods", "a")
        await cluster.create(pod_on("n1", "c"))
        assert (await status(cluster, "c"))["podIP"] == "10.9.8.2"


async def test_pods_that_the_kubelet_started_keep_their_addresses() -> None:
    async with playing() as cluster:
        await cluster.create(pod_on("node-1", "old"))
        await cluster.create(pod_ready())
        await cluster.create(pod_on("node-1", "new"))
        assert [(await status(cluster, name))["podIP"] for name in ("old", "new")] == ["10.244.1.2", "10.244.1.3"]


async def test_pods_of_a_failed_node_stay_as_they_are_until_it_recovers() -> None:
    async with playing(pod_ready()) as cluster:
        assert cluster.manager.kubelet is not None
        cluster.manager.kubelet.nodes.fail("node-1")
        await cluster.create(pod_on("node-1"))
        assert await phase(cluster) == "Pending"
        cluster.manager.kubelet.nodes.recover("node-1")
        await cluster.settle()
        assert await phase(cluster) == "Running"


async def test_pods_with_a_custom_status_are_left_alone() -> None:
    async with playing(pod_ready()) as cluster:
        await cluster.create(pod_on("node-1", annotations={"kwok.x-k8s.io/status": "custom"}))
        assert await phase(cluster) == "Pending"


async def test_pods_of_jobs_succeed() -> None:
    complete = stage(
        "pod-complete",
        "Pod",
        among(".status.phase", "Running"),
        among(".metadata.ownerReferences.[].kind", "Job"),
        delay={"durationMilliseconds": 5000},
        next={"statusTemplate": "phase: Succeeded"},
    )
    controllers = "stages,kubelet,job,scheduler,node-lifecycle-controller"
    async with playing(pod_ready(), complete, controllers=controllers) as cluster:
        template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "busybox"}]}}
        spec = {"completions": 2, "template": template}
        await cluster.create({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}, "spec": spec})
        await cluster.clock.advance(20)
        found = await cluster.get("jobs", "j")
        assert found is not None
        assert (found["status"]["succeeded"], found["status"]["conditions"][-1]["type"]) == (2, "Complete")


async def test_a_terminating_pod_goes_after_its_finalizers() -> None:
    finalize = stage(
        "pod-finalize",
        "Pod",
        among(".metadata.finalizers.[]", "example.com/wait"),
        {"key": ".metadata.deletionTimestamp", "operator": "Exists"},
        delay={"durationMilliseconds": 3000},
        next={"finalizers": {"remove": [{"value": "example.com/wait"}]}},
    )
    delete = pod_delete()
    delete["spec"]["selector"]["matchExpressions"].append(missing(".metadata.finalizers"))
    async with playing(pod_ready(), finalize, delete) as cluster:
        await cluster.create(pod_on("node-1", finalizers=["example.com/wait"]))
        await cluster.delete("pods", "p")
        assert await cluster.get("pods", "p") is not None
        await cluster.clock.advance(3)
        assert await cluster.get("pods", "p") is None


async def test_a_step_sends_its_event_about_the_pod() -> None:
    step = {"event": {"type": "Warning", "reason": "Tired", "message": "The pod is tired"}}
    async with playing(stage("tire", "Pod", among(".status.phase", "Pending"), steps=[step])) as cluster:
        await cluster.create(pod_on("node-1"))
        assert await events(cluster, "p") == [("Warning", "Tired", "The pod is tired")]


async def test_a_stage_that_fails_is_reported_and_not_played_again() -> None:
    failing = pod_ready(next={"statusTemplate": "{{ index .spec.containers 7 }}"})
    async with playing(failing) as cluster:
        await cluster.create(pod_on("node-1"))
        await cluster.clock.advance(60)
        message = "Stage pod-ready: template: error calling index: index out of range: 7"
        assert await events(cluster, "p") == [("Warning", "StageFailed", message)]


async def test_pods_are_scheduled_to_a_node_that_a_stage_made_ready() -> None:
    controllers = "stages,scheduler,node-lifecycle-controller"
    async with playing(pod_ready(), node_ready(), controllers=controllers) as cluster:
        await cluster.create(node("n1"))
        pod = pod_on("n1")
        del pod["spec"]["nodeName"]
        await cluster.create(pod)
        await cluster.clock.advance(5)
        assert await phase(cluster) == "Running"
