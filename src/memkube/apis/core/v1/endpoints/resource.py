"""Endpoints: addresses of a service's backends."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource

RESOURCE = Resource(
    group="",
    version="v1",
    kind="Endpoints",
    plural="endpoints",
    singular="endpoints",
    storage_prefix="services/endpoints",
    short_names=("ep",),
    deprecation="v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
    model=Lazy("memkube.apis.core.v1.endpoints.types:Endpoints"),
    strategy=Lazy("memkube.apis.core.v1.endpoints.strategy:EndpointsStrategy()"),
    printer=Lazy("memkube.apis.core.v1.endpoints.columns:PRINTER"),
)
