"""The assignment of a pod to a node."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apis.core.v1.references import ObjectReference


class Binding(ApiObject):
    """Ties an object to another, such as a pod to its node."""

    target: Annotated[ObjectReference, Required()] = Field(
        default_factory=ObjectReference, description="Object to tie to, usually a node."
    )
