"""ConfigMaps: configuration data by key."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource

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
