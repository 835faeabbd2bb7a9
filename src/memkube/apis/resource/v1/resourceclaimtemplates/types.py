from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.meta.v1.api_object import ApiObject, ObjectMeta
from memkube.apimachinery.model import ApiModel
from memkube.apis.resource.v1.resourceclaims.types import ResourceClaimSpec


class ResourceClaimTemplateSpec(ApiModel):
    """Metadata and spec of the claims that are created from the template."""

    metadata: ObjectMeta = Field(
        default_factory=ObjectMeta, description="Labels and annotations of the claims; other fields are forbidden."
    )
    spec: Annotated[ResourceClaimSpec, Required()] = Field(
        default_factory=ResourceClaimSpec, description="Devices that each created claim requests."
    )


class ResourceClaimTemplate(ApiObject):
    """A template of ResourceClaims for pods."""

    spec: Annotated[ResourceClaimTemplateSpec, Required()] = Field(
        default_factory=ResourceClaimTemplateSpec, description="Metadata and spec of the claims; immutable."
    )
