"""IngressClasses: who implements ingresses."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel


class IngressClassParametersReference(ApiModel):
    """TODO."""

    apiGroup: str | None = Field(default=None, description="TODO")
    kind: Annotated[str, Required()] = Field(default="", description="TODO")
    name: Annotated[str, Required()] = Field(default="", description="TODO")
    scope: Annotated[str | None, Always()] = Field(default=None, description="TODO")
    namespace: str | None = Field(default=None, description="TODO")


class IngressClassSpec(ApiModel):
    """TODO."""

    controller: str = Field(default="", description="TODO")
    parameters: IngressClassParametersReference | None = Field(default=None, description="TODO")


class IngressClass(ApiObject):
    """TODO."""

    spec: IngressClassSpec = Field(default_factory=IngressClassSpec, description="TODO")
