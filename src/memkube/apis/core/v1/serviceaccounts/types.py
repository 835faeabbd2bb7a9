"""."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import MapList, Merge
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.object_meta import ObjectMeta
from memkube.apis.core.v1.references import LocalObjectReference, ObjectReference


class ServiceAccount(ApiObject):
    """."""

    secrets: Annotated[list[ObjectReference], MapList(("name",)), Merge("name")] = Field(default_factory=list, description="")
    imagePullSecrets: list[LocalObjectReference] = Field(default_factory=list, description="")
    automountServiceAccountToken: bool | None = Field(default=None, description="")
