"""Leases: locks with a holder and an expiry."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource

RESOURCE = Resource(
    group="coordination.k8s.io",
    version="v1",
    kind="Lease",
    plural="leases",
    singular="lease",
    model=Lazy("memkube.apis.coordination.v1.leases.types:Lease"),
    strategy=Lazy("memkube.apis.coordination.v1.leases.strategy:LeaseStrategy()"),
    printer=Lazy("memkube.apis.coordination.v1.leases.columns:PRINTER"),
)
