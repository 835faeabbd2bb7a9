"""Containers that are added to a running pod for debugging."""

from typing import ClassVar

from pydantic import Field

from memkube.apis.core.v1.podspec.types.containers import CommonContainer


class EphemeralContainerCommon(CommonContainer):
    """What an ephemeral container shares with other containers."""

    go_struct: ClassVar[bool] = True


class EphemeralContainer(EphemeralContainerCommon):
    """A container added to a running pod, for debugging."""

    targetContainerName: str = Field(
        default="", description="Container whose processes it sees; none for the pod's own namespaces."
    )
