"""Services: names and addresses for sets of pods."""

from memkube.registry.lazy import Lazy
from memkube.registry.resource import Resource, status_subresource

RESOURCE = Resource(
    group="",
    version="v1",
    kind="Service",
    plural="services",
    singular="service",
    short_names=("svc",),
    categories=("all",),
    model=Lazy("memkube.apis.core.v1.services.types:Service"),
    strategy=Lazy("memkube.apis.core.v1.services.strategy:ServiceStrategy()"),
    printer=Lazy("memkube.apis.core.v1.services.columns:PRINTER"),
    subresources=(status_subresource(Lazy("memkube.apis.core.v1.services.strategy:ServiceStatusStrategy()")),),
)
