"""HorizontalPodAutoscalers of a Deployment ``web``, and their state."""

from typing import Any

from memkube.apimachinery.model import Document
from tests.controllers.cluster import Cluster

NAME = "horizontal-pod-autoscaler-controller"
PERIOD = 15


def autoscaler(name: str = "web", kind: str = "Deployment", group: str = "apps/v1", **spec: Any) -> Document:
    """Return an autoscaler of the object ``web`` of a kind, for 1 to 10 replicas."""
    reference = {"apiVersion": group, "kind": kind, "name": "web"}
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": name},
        "spec": {"scaleTargetRef": reference, "minReplicas": 1, "maxReplicas": 10, **spec},
    }


async def status(cluster: Cluster, name: str = "web") -> Document:
    document = await cluster.get("horizontalpodautoscalers", name)
    assert document is not None
    found: Document = document["status"]
    return found


async def conditions(cluster: Cluster, name: str = "web") -> dict[str, tuple[str, str]]:
    """Return status and reason of each condition."""
    found = (await status(cluster, name)).get("conditions") or []
    return {each["type"]: (each["status"], each["reason"]) for each in found}


async def message(cluster: Cluster, kind: str, name: str = "web") -> str:
    """Return the message of a condition."""
    found: list[dict[str, str]] = (await status(cluster, name))["conditions"]
    return next(each["message"] for each in found if each["type"] == kind)


async def replicas(cluster: Cluster, plural: str = "deployments") -> int:
    """Return the desired replicas of the target ``web``."""
    document = await cluster.get(plural, "web")
    assert document is not None
    count: int = document["spec"].get("replicas", 0)
    return count
