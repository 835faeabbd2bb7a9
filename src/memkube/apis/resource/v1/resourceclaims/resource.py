from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import ObjectSubresource, Resource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="resource.k8s.io",
    version="v1",
    kind="ResourceClaim",
    plural="resourceclaims",
    model=lazy("types:ResourceClaim"),
    strategy=lazy("strategy:ResourceClaimStrategy()"),
    printer=lazy("columns:PRINTER"),
    subresources=(ObjectSubresource("status", lazy("strategy:ResourceClaimStatusStrategy()"), tabular=False),),
)
