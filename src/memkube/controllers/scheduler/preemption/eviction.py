"""Evicts pods for another one (``preemption/executor.go``)."""

import logging

from memkube.apimachinery.errors import ApiError
from memkube.controllers.scheduler import reports
from memkube.controllers.scheduler.cluster import Cluster
from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.controllers.scheduler.pod_writer import PodWriter
from memkube.controllers.scheduler.preemption.victims import Victims

_LOGGER = logging.getLogger("memkube.controllers")


async def evict(preemptor: PodInfo, victims: Victims, cluster: Cluster, writer: PodWriter) -> bool:
    """Deletes the victims, with the grace that they ask for; False where that went wrong.

    Less important pods that were promised the same node may not fit there any more: they are promised nothing.
    """
    try:
        for other in list(cluster.nominations.on(victims.node)):
            if other.priority < preemptor.priority:
                await writer.set_status(other, None, "")
        for victim in victims.pods:
            if not victim.terminating:
                await writer.set_status(victim, reports.disruption_target(victim), None)
                await writer.delete(victim)
                await writer.report(victim, reports.preempted(preemptor, victims.node))
    except ApiError as error:
        _LOGGER.warning("no room for %s/%s on %s: %s", preemptor.namespace, preemptor.name, victims.node, error)
        return False
    return True
