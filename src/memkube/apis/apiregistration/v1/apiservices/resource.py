from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource, StorageForm, status_subresource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="apiregistration.k8s.io",
    version="v1",
    kind="APIService",
    plural="apiservices",
    namespaced=False,
    categories=("api-extensions",),
    stored=StorageForm(prefix="apiregistration.k8s.io/apiservices"),
    model=lazy("types:APIService"),
    strategy=lazy("strategy:APIServiceStrategy()"),
    printer=lazy("columns:PRINTER"),
    subresources=(status_subresource(lazy("strategy:APIServiceStatusStrategy()")),),
)
