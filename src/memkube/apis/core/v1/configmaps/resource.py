"""ConfigMaps: the smallest kind."""

from memkube.registry.lazy import Lazy
from memkube.registry.resource import Resource

RESOURCE = Resource(
    group="",
    version="v1",
    kind="ConfigMap",
    plural="configmaps",
    singular="configmap",
    short_names=("cm",),
    model=Lazy("memkube.apis.core.v1.configmaps.types:ConfigMap"),
    strategy=Lazy("memkube.apis.core.v1.configmaps.strategy:ConfigMapStrategy()"),
    printer=Lazy("memkube.apis.core.v1.configmaps.columns:PRINTER"),
)
