"""ServiceCIDRs: ranges from which cluster IPs are allocated."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, name_field, status_subresource

RESOURCE = Resource(
    group="networking.k8s.io",
    version="v1",
    kind="ServiceCIDR",
    plural="servicecidrs",
    singular="servicecidr",
    namespaced=False,
    selectable_fields=name_field,
    model=Lazy("memkube.apis.networking.v1.servicecidrs.types:ServiceCIDR"),
    strategy=Lazy("memkube.apis.networking.v1.servicecidrs.strategy:ServiceCIDRStrategy()"),
    printer=Lazy("memkube.apis.networking.v1.servicecidrs.columns:PRINTER"),
    subresources=(
        status_subresource(Lazy("memkube.apis.networking.v1.servicecidrs.strategy:ServiceCIDRStatusStrategy()")),
    ),
)
