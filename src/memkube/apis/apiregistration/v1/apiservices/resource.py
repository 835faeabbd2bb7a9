"""APIServices: the server (this one or an aggregated one) that serves a group and version."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, name_field, status_subresource

RESOURCE = Resource(
    group="apiregistration.k8s.io",
    version="v1",
    kind="APIService",
    plural="apiservices",
    singular="apiservice",
    namespaced=False,
    selectable_fields=name_field,
    categories=("api-extensions",),
    storage_prefix="apiregistration.k8s.io/apiservices",
    model=Lazy("memkube.apis.apiregistration.v1.apiservices.types:APIService"),
    strategy=Lazy("memkube.apis.apiregistration.v1.apiservices.strategy:APIServiceStrategy()"),
    printer=Lazy("memkube.apis.apiregistration.v1.apiservices.columns:PRINTER"),
    subresources=(
        status_subresource(Lazy("memkube.apis.apiregistration.v1.apiservices.strategy:APIServiceStatusStrategy()")),
    ),
)
