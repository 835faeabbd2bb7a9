from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="resource.k8s.io",
    version="v1",
    kind="ResourceClaimTemplate",
    plural="resourceclaimtemplates",
    model=lazy("types:ResourceClaimTemplate"),
    strategy=lazy("strategy:ResourceClaimTemplateStrategy()"),
)
