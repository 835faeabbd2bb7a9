"""Metadata of a list."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int64


class ShardInfo(ApiModel):
    """The part of a sharded list that an answer covers."""

    selector: Annotated[str, Required()] = Field(default="", description="Selector of the shard.")


class ListMeta(ApiModel):
    """Where a list stands in the history of its resource."""

    selfLink: str = Field(default="", description="Deprecated; no longer set.")
    resourceVersion: str = Field(default="", description="Version of the resource at which the list was taken.")
    continue_: str = Field(
        default="", alias="continue", description="Token with which to ask for the items that follow; empty at the end."
    )
    remainingItemCount: Int64 | None = Field(default=None, description="How many items follow, where that is known.")
    shardInfo: ShardInfo | None = Field(default=None, description="What of a sharded list this is.")
