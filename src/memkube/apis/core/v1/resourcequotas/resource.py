"""ResourceQuotas: limits on the total resource use of a namespace."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, status_subresource

RESOURCE = Resource(
    group="",
    version="v1",
    kind="ResourceQuota",
    plural="resourcequotas",
    singular="resourcequota",
    short_names=("quota",),
    model=Lazy("memkube.apis.core.v1.resourcequotas.types:ResourceQuota"),
    strategy=Lazy("memkube.apis.core.v1.resourcequotas.strategy:ResourceQuotaStrategy()"),
    printer=Lazy("memkube.apis.core.v1.resourcequotas.columns:PRINTER"),
    subresources=(
        status_subresource(Lazy("memkube.apis.core.v1.resourcequotas.strategy:ResourceQuotaStatusStrategy()")),
    ),
)
