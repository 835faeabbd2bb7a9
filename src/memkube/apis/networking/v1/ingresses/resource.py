"""Ingresses: HTTP routes from outside the cluster to services."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, status_subresource

RESOURCE = Resource(
    group="networking.k8s.io",
    version="v1",
    kind="Ingress",
    plural="ingresses",
    singular="ingress",
    short_names=("ing",),
    storage_prefix="ingress",
    model=Lazy("memkube.apis.networking.v1.ingresses.types:Ingress"),
    strategy=Lazy("memkube.apis.networking.v1.ingresses.strategy:IngressStrategy()"),
    printer=Lazy("memkube.apis.networking.v1.ingresses.columns:PRINTER"),
    subresources=(status_subresource(Lazy("memkube.apis.networking.v1.ingresses.strategy:IngressStatusStrategy()")),),
)
