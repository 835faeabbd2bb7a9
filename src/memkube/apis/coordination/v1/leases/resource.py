"""Leases: who holds a lock, and until when."""

from memkube.apis.coordination.v1.leases.columns import PRINTER
from memkube.apis.coordination.v1.leases.strategy import LeaseStrategy
from memkube.apis.coordination.v1.leases.types import Lease
from memkube.registry.resource import Resource

RESOURCE = Resource(
    group="coordination.k8s.io",
    version="v1",
    kind="Lease",
    plural="leases",
    singular="lease",
    model=Lease,
    strategy=LeaseStrategy(),
    printer=PRINTER,
)
