from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import MapList, Merge
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apis.core.v1.references import LocalObjectReference, ObjectReference


class ServiceAccount(ApiObject):
    """An identity for processes that run in pods."""

    secrets: Annotated[list[ObjectReference], MapList(("name",)), Merge("name")] = Field(
        default_factory=list,
        description="Secrets that pods with this account may use; enforced only with an annotation.",
    )
    imagePullSecrets: list[LocalObjectReference] = Field(
        default_factory=list, description="Secrets for pulling the images of pods with this account."
    )
    automountServiceAccountToken: bool | None = Field(
        default=None, description="True if pods with this account get a token mounted by default."
    )
