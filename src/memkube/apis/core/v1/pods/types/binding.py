"""."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.object_meta import ObjectMeta
from memkube.apis.core.v1.references import ObjectReference


class Binding(ApiObject):
    """."""

    target: Annotated[ObjectReference, Required()] = Field(default_factory=ObjectReference, description="")
