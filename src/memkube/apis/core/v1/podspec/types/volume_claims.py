"""."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.label_selector import LabelSelector
from memkube.apimachinery.meta.v1.object_meta import ObjectMeta
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Quantity
from memkube.apis.core.v1.references import TypedLocalObjectReference, TypedObjectReference


class VolumeResourceRequirements(ApiModel):
    """."""

    limits: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(default_factory=dict, description="")
    requests: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(default_factory=dict, description="")


class PersistentVolumeClaimSpec(ApiModel):
    """."""

    accessModes: list[Annotated[str, Named("v1.PersistentVolumeAccessMode", ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"))]] = Field(default_factory=list, description="")
    selector: LabelSelector | None = Field(default=None, description="")
    resources: VolumeResourceRequirements = Field(default_factory=VolumeResourceRequirements, description="")
    volumeName: str = Field(default="", description="")
    storageClassName: str | None = Field(default=None, description="")
    volumeMode: Annotated[str | None, Named("v1.PersistentVolumeMode", ("Block", "Filesystem"))] = Field(default=None, description="")
    dataSource: TypedLocalObjectReference | None = Field(default=None, description="")
    dataSourceRef: TypedObjectReference | None = Field(default=None, description="")
    volumeAttributesClassName: str | None = Field(default=None, description="")


class PersistentVolumeClaimTemplate(ApiModel):
    """."""

    metadata: ObjectMeta = Field(default_factory=ObjectMeta, description="")
    spec: Annotated[PersistentVolumeClaimSpec, Required()] = Field(default_factory=PersistentVolumeClaimSpec, description="")
