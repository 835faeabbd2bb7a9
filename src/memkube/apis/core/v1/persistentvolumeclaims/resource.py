"""PersistentVolumeClaims: requests for storage."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, status_subresource

RESOURCE = Resource(
    group="",
    version="v1",
    kind="PersistentVolumeClaim",
    plural="persistentvolumeclaims",
    singular="persistentvolumeclaim",
    short_names=("pvc",),
    model=Lazy("memkube.apis.core.v1.podspec.types.persistent_volume_claims:PersistentVolumeClaim"),
    strategy=Lazy("memkube.apis.core.v1.persistentvolumeclaims.strategy:PersistentVolumeClaimStrategy()"),
    printer=Lazy("memkube.apis.core.v1.persistentvolumeclaims.columns:PRINTER"),
    subresources=(
        status_subresource(
            Lazy("memkube.apis.core.v1.persistentvolumeclaims.strategy:PersistentVolumeClaimStatusStrategy()")
        ),
    ),
)
