from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="coordination.k8s.io",
    version="v1",
    kind="Lease",
    plural="leases",
    model=lazy("types:Lease"),
    strategy=lazy("strategy:LeaseStrategy()"),
    printer=lazy("columns:PRINTER"),
)
