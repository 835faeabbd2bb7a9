from memkube.registry.declarations.lazy import Lazy, LazyPackage
from memkube.registry.declarations.resource import Resource, status_subresource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="",
    version="v1",
    kind="PersistentVolumeClaim",
    plural="persistentvolumeclaims",
    short_names=("pvc",),
    model=Lazy("memkube.apis.core.v1.podspec.types.persistent_volume_claims:PersistentVolumeClaim"),
    strategy=lazy("strategy:PersistentVolumeClaimStrategy()"),
    printer=lazy("columns:PRINTER"),
    subresources=(status_subresource(lazy("strategy:PersistentVolumeClaimStatusStrategy()")),),
)
