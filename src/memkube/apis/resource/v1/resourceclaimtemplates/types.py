"""ResourceClaimTemplates: claims to be made for pods."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.meta.v1.api_object import ApiObject, ObjectMeta
from memkube.apimachinery.model import ApiModel
from memkube.apis.resource.v1.resourceclaims.types import ResourceClaimSpec


class ResourceClaimTemplateSpec(ApiModel):
    """TODO."""

    metadata: ObjectMeta = Field(default_factory=ObjectMeta, description="TODO")
    spec: Annotated[ResourceClaimSpec, Required()] = Field(default_factory=ResourceClaimSpec, description="TODO")


class ResourceClaimTemplate(ApiObject):
    """TODO."""

    spec: Annotated[ResourceClaimTemplateSpec, Required()] = Field(
        default_factory=ResourceClaimTemplateSpec, description="TODO"
    )
