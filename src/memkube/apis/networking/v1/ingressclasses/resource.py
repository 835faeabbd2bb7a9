"""IngressClasses: the controllers that implement ingresses."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, name_field

RESOURCE = Resource(
    group="networking.k8s.io",
    version="v1",
    kind="IngressClass",
    plural="ingressclasses",
    singular="ingressclass",
    namespaced=False,
    selectable_fields=name_field,
    model=Lazy("memkube.apis.networking.v1.ingressclasses.types:IngressClass"),
    strategy=Lazy("memkube.apis.networking.v1.ingressclasses.strategy:IngressClassStrategy()"),
    printer=Lazy("memkube.apis.networking.v1.ingressclasses.columns:PRINTER"),
)
