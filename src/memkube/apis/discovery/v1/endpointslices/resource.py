"""EndpointSlices: some of the endpoints of a service."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource

RESOURCE = Resource(
    group="discovery.k8s.io",
    version="v1",
    kind="EndpointSlice",
    plural="endpointslices",
    singular="endpointslice",
    model=Lazy("memkube.apis.discovery.v1.endpointslices.types:EndpointSlice"),
    strategy=Lazy("memkube.apis.discovery.v1.endpointslices.strategy:EndpointSliceStrategy()"),
    printer=Lazy("memkube.apis.discovery.v1.endpointslices.columns:PRINTER"),
)
