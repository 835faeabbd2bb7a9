from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel


class IngressClassParametersReference(ApiModel):
    """Reference to an object with parameters for the controller of an IngressClass."""

    apiGroup: str | None = Field(
        default=None, description="API group of the object with the controller's parameters; unset for the core group."
    )
    kind: Annotated[str, Required()] = Field(
        default="", description="Kind of the object with the controller's parameters."
    )
    name: Annotated[str, Required()] = Field(
        default="", description="Name of the object with the controller's parameters."
    )
    scope: Annotated[str | None, Always()] = Field(
        default=None, description="Scope of the object with the parameters: Cluster (the default) or Namespace."
    )
    namespace: str | None = Field(
        default=None, description="Namespace of the object with the parameters; only for scope Namespace."
    )


class IngressClassSpec(ApiModel):
    """Controller and parameters of an IngressClass."""

    controller: str = Field(
        default="", description="Controller, as a domain-prefixed path such as acme.io/ingress; immutable."
    )
    parameters: IngressClassParametersReference | None = Field(
        default=None, description="Reference to an object with settings for the controller; none if unset."
    )


class IngressClass(ApiObject):
    """A class of ingresses, implemented by one controller."""

    spec: IngressClassSpec = Field(
        default_factory=IngressClassSpec,
        description="Controller that implements ingresses of the class, and its parameters.",
    )
