"""Claims for storage that a pod brings along."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.api_object import ObjectMeta
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Quantity
from memkube.apis.core.v1.references import TypedLocalObjectReference, TypedObjectReference


class VolumeResourceRequirements(ApiModel):
    """How much storage is asked for."""

    limits: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Most that is wanted."
    )
    requests: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Least that is needed."
    )


class PersistentVolumeClaimSpec(ApiModel):
    """What storage is asked for."""

    accessModes: list[
        Annotated[
            str,
            Named(
                "v1.PersistentVolumeAccessMode", ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
            ),
        ]
    ] = Field(default_factory=list, description="Ways in which the volume is to be used.")
    selector: LabelSelector | None = Field(default=None, description="Volumes to choose from.")
    resources: VolumeResourceRequirements = Field(
        default_factory=VolumeResourceRequirements, description="How much is asked for."
    )
    volumeName: str = Field(default="", description="Volume that the claim is bound to.")
    storageClassName: str | None = Field(default=None, description="Storage class; none for the default.")
    volumeMode: Annotated[str | None, Named("v1.PersistentVolumeMode", ("Block", "Filesystem"))] = Field(
        default=None, description="Filesystem or Block."
    )
    dataSource: TypedLocalObjectReference | None = Field(default=None, description="Snapshot or claim to copy from.")
    dataSourceRef: TypedObjectReference | None = Field(default=None, description="Object to fill the volume from.")
    volumeAttributesClassName: str | None = Field(default=None, description="Class of the volume's attributes.")


class PersistentVolumeClaimTemplate(ApiModel):
    """A claim to be made for a pod."""

    metadata: ObjectMeta = Field(default_factory=ObjectMeta, description="Labels and annotations of the claim.")
    spec: Annotated[PersistentVolumeClaimSpec, Required()] = Field(
        default_factory=PersistentVolumeClaimSpec, description="What the claim asks for."
    )
