"""Helpers for Jobs and their pods."""

from typing import Any

from memkube.apimachinery.model import Document
from memkube.registry.objects.stored import StoredObject
from tests.controllers.cluster import CONTAINERS, Cluster
from tests.controllers.workloads import listed
from tests.controllers.workloads import status as status_of

CONTROLLER = "job"


def job(restart_policy: str = "Never", **spec: Any) -> Document:
    """Return a Job named work."""
    template = {"spec": {"containers": CONTAINERS, "restartPolicy": restart_policy, "terminationGracePeriodSeconds": 0}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "work"},
        "spec": {"template": template, **spec},
    }


def indexed(completions: int, **spec: Any) -> Document:
    return job(completionMode="Indexed", completions=completions, parallelism=completions, **spec)


async def change(cluster: Cluster, **spec: Any) -> None:
    """Change fields of the Job's spec."""
    stored = await cluster.get("jobs", "work")
    assert stored is not None
    await cluster.change("jobs", "work", spec={**stored["spec"], **spec})


async def status(cluster: Cluster) -> dict[str, Any]:
    return await status_of(cluster, "jobs", "work")


async def conditions(cluster: Cluster) -> list[tuple[str, str]]:
    """Return the types and reasons of the conditions that are True."""
    found = (await status(cluster)).get("conditions") or []
    return [(each["type"], each["reason"]) for each in found if each["status"] == "True"]


async def counts(cluster: Cluster) -> tuple[int, int, int]:
    """Return the numbers of active, succeeded and failed pods."""
    found = await status(cluster)
    return found.get("active", 0), found.get("succeeded", 0), found.get("failed", 0)


async def pending(cluster: Cluster) -> list[StoredObject]:
    return [pod for pod in await listed(cluster) if pod.document["status"]["phase"] == "Pending"]


async def end(cluster: Cluster, pod: StoredObject, phase: str = "Succeeded", code: int = 0) -> None:
    """End a pod now."""
    at = cluster.clock.now().strftime("%Y-%m-%dT%H:%M:%SZ")
    terminated = {"exitCode": code, "startedAt": at, "finishedAt": at}
    container = {"name": "app", "image": "nginx", "imageID": "", "ready": False, "restartCount": 0}
    ended = {"phase": phase, "containerStatuses": [{**container, "state": {"terminated": terminated}}]}
    await cluster.change("pods", pod.name, subresource="status", status=ended)


async def fail_next(cluster: Cluster, code: int = 1) -> None:
    """Fail the first pod that has not ended."""
    await end(cluster, (await pending(cluster))[0], "Failed", code)
