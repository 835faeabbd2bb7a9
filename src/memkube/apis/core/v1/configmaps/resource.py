"""ConfigMaps: the smallest kind."""

from memkube.apis.core.v1.configmaps.columns import PRINTER
from memkube.apis.core.v1.configmaps.strategy import ConfigMapStrategy
from memkube.apis.core.v1.configmaps.types import ConfigMap
from memkube.registry.resource import Resource

RESOURCE = Resource(
    group="",
    version="v1",
    kind="ConfigMap",
    plural="configmaps",
    singular="configmap",
    short_names=("cm",),
    model=ConfigMap,
    strategy=ConfigMapStrategy(),
    printer=PRINTER,
)
