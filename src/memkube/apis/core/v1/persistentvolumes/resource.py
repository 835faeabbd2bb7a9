"""PersistentVolumes: storage of the cluster."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, name_field, status_subresource

RESOURCE = Resource(
    group="",
    version="v1",
    kind="PersistentVolume",
    plural="persistentvolumes",
    singular="persistentvolume",
    namespaced=False,
    selectable_fields=name_field,
    short_names=("pv",),
    model=Lazy("memkube.apis.core.v1.persistentvolumes.types:PersistentVolume"),
    strategy=Lazy("memkube.apis.core.v1.persistentvolumes.strategy:PersistentVolumeStrategy()"),
    printer=Lazy("memkube.apis.core.v1.persistentvolumes.columns:PRINTER"),
    subresources=(
        status_subresource(Lazy("memkube.apis.core.v1.persistentvolumes.strategy:PersistentVolumeStatusStrategy()")),
    ),
)
