"""Draining nodes, as ``kubectl drain --ignore-daemonsets`` does (``staging/src/k8s.io/kubectl/pkg/drain``)."""

import asyncio
from typing import Final

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import Document
from memkube.apimachinery.strict_model import StrictModel
from memkube.apis.core.v1.nodes.types import Node
from memkube.control.refusals import not_possible
from memkube.controllers.workloads.owners import controller_reference
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.resource import CreateSubresource
from memkube.registry.objects.stored import StoredObject
from memkube.registry.registry import Registry
from memkube.time.clock import SteppedClock

_MANAGER: Final = "memkube-drain"
_ENDED: Final = ("Succeeded", "Failed")
_MIRROR: Final = "kubernetes.io/config.mirror"
_LOCAL_STORAGE: Final = "Pods with local storage (use --delete-emptydir-data to override)"
_UNMANAGED: Final = "Pods that declare no controller (use --force to override)"


class DrainOptions(StrictModel):
    """Options for draining a node, with the names of the options of ``kubectl drain``."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    force: bool = Field(default=False, description="True to evict pods without a controller too.")
    delete_emptydir_data: bool = Field(default=False, description="True to evict pods with emptyDir volumes too.")


class BlockedPod(BaseModel):
    """A pod whose eviction was refused."""

    namespace: str
    name: str
    message: str = Field(
        description="Why the eviction was refused, with the name of the PodDisruptionBudget that forbids it."
    )


class DrainedNode(BaseModel):
    """The progress of draining a node. Names of pods are NAMESPACE/NAME."""

    name: str
    drained: bool = Field(description="True if the node has no more pods that a drain evicts.")
    evicted: list[str] = Field(description="Pods that this request evicted.")
    terminating: list[str] = Field(
        description="Pods that still exist although they were evicted or deleted before this request."
    )
    blocked: list[BlockedPod] = Field(description="Pods whose eviction a PodDisruptionBudget does not allow now.")
    ignored: list[str] = Field(description="Pods that stay on the node: those of DaemonSets, and mirror pods.")


async def drain_node(registry: Registry, name: str, options: DrainOptions) -> DrainedNode:
    """Cordon a node and request the eviction of each of its pods once. Return the progress.

    Repeat the call until the node is drained: terminating pods end and disruption budgets allow more evictions only as
    the server's clock advances. As with kubectl, the node stays cordoned if its pods cannot be evicted.

    Raises ApiError 404 for an unknown node, and 409, without an eviction, if the options do not allow evicting a pod.
    """
    await registry.find("", "v1", "nodes").update(name, _cordon, WriteContext(manager=_MANAGER))
    sorted_pods = await _sort(registry, name, options)
    state = DrainedNode(name=name, drained=False, evicted=[], terminating=[], blocked=[], ignored=sorted_pods.ignored)
    for pod in sorted_pods.evictable:
        if pod.document["metadata"].get("deletionTimestamp") is not None:
            state.terminating.append(_key(pod))
        else:
            await _evict(registry, pod, state)
        # Let the event loop serve requests between the evictions of many pods.
        await asyncio.sleep(0)
    if isinstance(registry.clock, SteppedClock):
        await registry.clock.activity.at_rest()
    state.drained = not (await _sort(registry, name, options)).evictable
    return state


class _SortedPods:
    """The pods of a node, divided into the pods that a drain evicts and the pods that it skips."""

    def __init__(self) -> None:
        self.evictable: list[StoredObject] = []
        self.ignored: list[str] = []
        self.refused: dict[str, list[str]] = {}
        """Pods that the options do not allow to evict, by kubectl's reason."""


async def _sort(registry: Registry, node: str, options: DrainOptions) -> _SortedPods:
    """Sort a node's pods into evictable and skipped ones. Raises ApiError 409 if the options forbid evicting one."""
    pods = _SortedPods()
    for pod in await registry.find("", "v1", "pods").all():
        if pod.document["spec"].get("nodeName") != node:
            continue
        if _MIRROR in (pod.document["metadata"].get("annotations") or {}):
            pods.ignored.append(_key(pod))
        elif pod.document["status"].get("phase") in _ENDED:
            pods.evictable.append(pod)
        else:
            await _sort_running(registry, pod, options, pods)
    if pods.refused:
        raise not_possible(_refusal(node, pods.refused))
    return pods


async def _sort_running(registry: Registry, pod: StoredObject, options: DrainOptions, pods: _SortedPods) -> None:
    owner = controller_reference(pod.document)
    orphaned = None
    if owner is not None and (owner["apiVersion"], owner["kind"]) == ("apps/v1", "DaemonSet"):
        orphaned = await _absence(registry, pod.namespace, owner["name"])
        if orphaned is None:
            pods.ignored.append(_key(pod))
            return
    refused = [
        reason
        for reason, is_refused in (
            (orphaned, orphaned is not None and not options.force),
            (_LOCAL_STORAGE, _has_local_storage(pod.document) and not options.delete_emptydir_data),
            (_UNMANAGED, owner is None and not options.force),
        )
        if reason is not None and is_refused
    ]
    if refused:
        pods.refused.setdefault(refused[0], []).append(_key(pod))
    else:
        pods.evictable.append(pod)


async def _absence(registry: Registry, namespace: str, daemon_set: str) -> str | None:
    """Return the API server's 404 message if the DaemonSet of a pod does not exist; None if it exists."""
    try:
        await registry.find("apps", "v1", "daemonsets").get(namespace, daemon_set)
    except ApiError as error:
        if error.reason != "NotFound":
            raise
        return error.message
    return None


async def _evict(registry: Registry, pod: StoredObject, state: DrainedNode) -> None:
    store = registry.find("", "v1", "pods")
    part = store.resource.subresource("eviction")
    assert isinstance(part, CreateSubresource)
    body = {
        "metadata": {"name": pod.name, "namespace": pod.namespace},
        "deleteOptions": {"preconditions": {"uid": pod.uid}},
    }
    eviction = part.model.from_document(body)
    try:
        await store.post(part, pod.name, eviction, WriteContext(namespace=pod.namespace, manager=_MANAGER))
    except ApiError as error:
        if error.reason == "TooManyRequests":
            causes = error.details.causes if error.details is not None else ()
            message = " ".join([error.message, *(cause.message for cause in causes)])
            state.blocked.append(BlockedPod(namespace=pod.namespace, name=pod.name, message=message))
        # If another client has deleted or replaced the pod since it was listed, there is nothing to evict.
        elif error.reason not in ("NotFound", "Conflict"):
            raise
    else:
        state.evicted.append(_key(pod))


def _cordon(node: ApiObject) -> None:

    assert isinstance(node, Node)
    node.spec.unschedulable = True


def _has_local_storage(pod: Document) -> bool:
    return any(volume.get("emptyDir") is not None for volume in pod["spec"].get("volumes") or ())


def _key(pod: StoredObject) -> str:
    return f"{pod.namespace}/{pod.name}"


def _refusal(node: str, refused: dict[str, list[str]]) -> str:
    """Return kubectl's message for a node that cannot be drained.

    `refused` maps each reason why the options do not allow evicting a pod to the names of these pods.
    """
    reasons = (f"cannot delete {reason}: {', '.join(pods)}" for reason, pods in refused.items())
    return f'unable to drain node "{node}": {"; ".join(reasons)}'
