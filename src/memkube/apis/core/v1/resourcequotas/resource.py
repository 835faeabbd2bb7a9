from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource, status_subresource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="",
    version="v1",
    kind="ResourceQuota",
    plural="resourcequotas",
    short_names=("quota",),
    model=lazy("types:ResourceQuota"),
    strategy=lazy("strategy:ResourceQuotaStrategy()"),
    printer=lazy("columns:PRINTER"),
    subresources=(status_subresource(lazy("strategy:ResourceQuotaStatusStrategy()")),),
)
