from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource, StorageForm, status_subresource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="networking.k8s.io",
    version="v1",
    kind="Ingress",
    plural="ingresses",
    short_names=("ing",),
    stored=StorageForm(prefix="ingress"),
    model=lazy("types:Ingress"),
    strategy=lazy("strategy:IngressStrategy()"),
    printer=lazy("columns:PRINTER"),
    subresources=(status_subresource(lazy("strategy:IngressStatusStrategy()")),),
)
