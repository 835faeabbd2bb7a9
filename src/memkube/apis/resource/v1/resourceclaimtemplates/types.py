"""ResourceClaimTemplates: claims to be made for pods."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.meta.v1.api_object import ApiObject, ObjectMeta
from memkube.apimachinery.model import ApiModel
from memkube.apis.resource.v1.resourceclaims.types import ResourceClaimSpec


class ResourceClaimTemplateSpec(ApiModel):
    """What is put into claims that are made."""

    metadata: ObjectMeta = Field(
        default_factory=ObjectMeta, description="Labels and annotations of the claims; nothing else may be set."
    )
    spec: Annotated[ResourceClaimSpec, Required()] = Field(
        default_factory=ResourceClaimSpec, description="What the claims ask for."
    )


class ResourceClaimTemplate(ApiObject):
    """A form for the ResourceClaims that pods get of their own."""

    spec: Annotated[ResourceClaimTemplateSpec, Required()] = Field(
        default_factory=ResourceClaimTemplateSpec, description="What is put into the claims; it never changes."
    )
