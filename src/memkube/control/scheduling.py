"""``/scheduling``: which node the scheduler would choose for a pod, and why it would reject other nodes."""

from fastapi import APIRouter
from pydantic import BaseModel, Field

from memkube.control.refusals import not_possible, not_running
from memkube.control.server_parts import ServerParts
from memkube.controllers.scheduler.explanation import NodeVerdict
from memkube.controllers.scheduler.pod_info import node_of


class Rejection(BaseModel):
    """A filter plugin of the scheduler that rejects a node, and the plugin's reason."""

    plugin: str
    reasons: list[str] = Field(description="Reasons why the plugin rejects the node, in kube-scheduler's words.")


class Score(BaseModel):
    """The score that a score plugin of the scheduler gives to a node."""

    plugin: str
    score: int = Field(description="The score of the plugin, multiplied by its weight.")


class NodeScheduling(BaseModel):
    """Results of the scheduler's plugins for one node."""

    name: str
    fits: bool = Field(description="True if no filter plugin rejects the node.")
    rejections: list[Rejection] = Field(description="All filter plugins that reject the node.")
    scores: list[Score] = Field(
        description="Weighted score of each plugin for this node; plugins that rate all nodes equal are left out."
    )
    total: int = Field(description="Sum of the node's weighted scores in `scores`; 0 if the pod does not fit.")


class PodScheduling(BaseModel):
    """The node that the scheduler would choose for a pod in the present state of the cluster.

    A pod that is already bound to a node is treated as if it were not.
    """

    namespace: str
    name: str
    node: str = Field(description="The node that the pod is bound to; empty if the pod has none.")
    choice: str = Field(description="The node that the scheduler would choose now; empty if the pod fits on none.")
    message: str = Field(description="Why the pod fits on no node, as in the Event FailedScheduling; otherwise empty.")
    nodes: list[NodeScheduling]


def scheduling_router(parts: ServerParts) -> APIRouter:
    """Return the route that explains the scheduling of a pod."""
    router = APIRouter(prefix="/scheduling", tags=["scheduling"])

    @router.get("/{namespace}/{name}")
    async def show(namespace: str, name: str) -> PodScheduling:
        """Explains which node the scheduler would choose for a pod now."""
        return await explain_scheduling(parts, namespace, name)

    return router


async def explain_scheduling(parts: ServerParts, namespace: str, name: str) -> PodScheduling:
    """Explain which node the server's scheduler would choose for a pod now.

    Raises ApiError 404 for an unknown pod, 409 for a pod of another scheduler, 501 if the controller ``scheduler`` is
    disabled.
    """
    pod = await parts.registry.find("", "v1", "pods").get(namespace, name)
    scheduler = await parts.controllers.wait_for_scheduler()
    if scheduler is None:
        raise not_running("no scheduler runs, so there is nothing to explain", "scheduler")
    explanation = scheduler.explain(pod)
    if explanation is None:
        scheduler_name = pod.document["spec"].get("schedulerName", "")
        raise not_possible(f"the scheduler has no profile {scheduler_name!r}, which the pod's spec.schedulerName names")
    return PodScheduling(
        namespace=namespace,
        name=name,
        node=node_of(pod),
        choice=explanation.chosen,
        message=explanation.message,
        nodes=[_of_node(verdict) for verdict in explanation.nodes],
    )


def _of_node(verdict: NodeVerdict) -> NodeScheduling:
    return NodeScheduling(
        name=verdict.node,
        fits=not verdict.rejections,
        rejections=[Rejection(plugin=one.plugin, reasons=list(one.reasons)) for one in verdict.rejections],
        scores=[Score(plugin=one.plugin, score=one.score) for one in verdict.scores],
        total=verdict.total,
    )
