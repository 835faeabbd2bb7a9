"""IngressClasses: who implements ingresses."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel


class IngressClassParametersReference(ApiModel):
    """An object with settings for the controller."""

    apiGroup: str | None = Field(default=None, description="Group of the object; none is the core group.")
    kind: Annotated[str, Required()] = Field(default="", description="Kind of the object.")
    name: Annotated[str, Required()] = Field(default="", description="Name of the object.")
    scope: Annotated[str | None, Always()] = Field(
        default=None, description="Whether the object is of the Cluster, as without a scope, or of a Namespace."
    )
    namespace: str | None = Field(
        default=None, description="Namespace of the object; told if and only if the scope is Namespace."
    )


class IngressClassSpec(ApiModel):
    """Which controller implements the ingresses of the class, and how it is set up."""

    controller: str = Field(
        default="", description="Name of the controller: a path behind a domain, such as acme.io/ingress. It stays."
    )
    parameters: IngressClassParametersReference | None = Field(
        default=None, description="Object with further settings for the controller."
    )


class IngressClass(ApiObject):
    """A kind of ingresses, as one controller implements them."""

    spec: IngressClassSpec = Field(
        default_factory=IngressClassSpec, description="Which controller implements the ingresses of the class."
    )
