"""."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int64


class ShardInfo(ApiModel):
    """."""

    selector: Annotated[str, Required()] = Field(default="", description="")


class ListMeta(ApiModel):
    """."""

    selfLink: str = Field(default="", description="")
    resourceVersion: str = Field(default="", description="")
    continue_: str = Field(default="", alias="continue", description="")
    remainingItemCount: Int64 | None = Field(default=None, description="")
    shardInfo: ShardInfo | None = Field(default=None, description="")
