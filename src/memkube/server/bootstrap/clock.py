"""Sets the clock of a server whose storage contains the objects of an earlier server, so that time does not go back."""

from memkube.apimachinery.time import MicroTime
from memkube.controllers.nodes.leases import LEASE_NAMESPACE
from memkube.registry.declarations.request_options import ListOptions
from memkube.registry.registry import Registry
from memkube.time.clock import ScaledClock, SteppedClock


async def continue_clock(registry: Registry) -> None:
    """Move a stepped or scaled clock forward to the newest heartbeat of a node that the storage contains.

    The server that wrote the heartbeat had a clock that had reached this time. If the new server's clock began at an
    earlier time, controllers would ignore new heartbeats, and CronJobs would wait until the clock has reached this time
    again.
    """
    clock = registry.clock
    if not isinstance(clock, SteppedClock | ScaledClock):
        return
    leases = await registry.find("coordination.k8s.io", "v1", "leases").list(LEASE_NAMESPACE, ListOptions())
    renewals = (lease.document["spec"].get("renewTime") for lease in leases.items)
    newest = max((MicroTime(renewal).instant for renewal in renewals if renewal), default=clock.now())
    if newest > clock.now():
        clock.set(newest)
