"""Sets the clock of a server whose storage contains the objects of an earlier server, so that time does not go back."""

from memkube.apimachinery.time import MicroTime
from memkube.controllers.nodes.leases import LEASE_NAMESPACE
from memkube.registry.declarations.request_options import ListOptions
from memkube.registry.registry import Registry
from memkube.time.clock import ScaledClock, SteppedClock


async def continue_clock(registry: Registry) -> None:
    """Move the clock to the newest heartbeat of a node, if that is later and the clock does not show real time.

    The earlier server had advanced its clock to that time. With an earlier time, controllers would ignore heartbeats,
    and CronJobs would wait.
    """
    clock = registry.clock
    if not isinstance(clock, SteppedClock | ScaledClock):
        return
    leases = await registry.find("coordination.k8s.io", "v1", "leases").list(LEASE_NAMESPACE, ListOptions())
    renewals = (lease.document["spec"].get("renewTime") for lease in leases.items)
    newest = max((MicroTime(renewal).instant for renewal in renewals if renewal), default=clock.now())
    if newest > clock.now():
        clock.set(newest)
