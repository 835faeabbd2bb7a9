"""VolumeAttributesClasses: mutable attributes of volumes."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, name_field

RESOURCE = Resource(
    group="storage.k8s.io",
    version="v1",
    kind="VolumeAttributesClass",
    plural="volumeattributesclasses",
    singular="volumeattributesclass",
    namespaced=False,
    selectable_fields=name_field,
    short_names=("vac",),
    model=Lazy("memkube.apis.storage.v1.volumeattributesclasses.types:VolumeAttributesClass"),
    strategy=Lazy("memkube.apis.storage.v1.volumeattributesclasses.strategy:VolumeAttributesClassStrategy()"),
    printer=Lazy("memkube.apis.storage.v1.volumeattributesclasses.columns:PRINTER"),
)
