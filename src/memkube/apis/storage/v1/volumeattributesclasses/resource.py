from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="storage.k8s.io",
    version="v1",
    kind="VolumeAttributesClass",
    plural="volumeattributesclasses",
    namespaced=False,
    short_names=("vac",),
    model=lazy("types:VolumeAttributesClass"),
    strategy=lazy("strategy:VolumeAttributesClassStrategy()"),
    printer=lazy("columns:PRINTER"),
)
