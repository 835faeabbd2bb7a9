"""ResourceClaims: requests for devices."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, status_subresource

RESOURCE = Resource(
    group="resource.k8s.io",
    version="v1",
    kind="ResourceClaim",
    plural="resourceclaims",
    singular="resourceclaim",
    model=Lazy("memkube.apis.resource.v1.resourceclaims.types:ResourceClaim"),
    strategy=Lazy("memkube.apis.resource.v1.resourceclaims.strategy:ResourceClaimStrategy()"),
    printer=Lazy("memkube.apis.resource.v1.resourceclaims.columns:PRINTER"),
    subresources=(
        status_subresource(Lazy("memkube.apis.resource.v1.resourceclaims.strategy:ResourceClaimStatusStrategy()")),
    ),
)
