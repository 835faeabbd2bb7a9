"""."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Named
from memkube.apimachinery.meta.v1.api_object import TypeMeta
from memkube.apimachinery.meta.v1.list_meta import ListMeta
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Raw


class TableColumnDefinition(ApiModel):
    """."""

    name: Annotated[str, Always()] = Field(default="", description="")
    type: Annotated[str, Always()] = Field(default="", description="")
    format: Annotated[str, Always()] = Field(default="", description="")
    description: Annotated[str, Always()] = Field(default="", description="")
    priority: Annotated[Int32, Always()] = Field(default=0, description="")


class TableRowCondition(ApiModel):
    """."""

    type: Annotated[str, Named("v1.RowConditionType"), Always()] = Field(default="", description="")
    status: Annotated[str, Named("v1.ConditionStatus"), Always()] = Field(default="", description="")
    reason: str = Field(default="", description="")
    message: str = Field(default="", description="")


class TableRow(ApiModel):
    """."""

    cells: Annotated[list[Raw | None], Always()] = Field(default_factory=list, description="")
    conditions: list[TableRowCondition] = Field(default_factory=list, description="")
    object: Raw | None = Field(default=None, description="")


class Table(TypeMeta):
    """."""

    metadata: ListMeta = Field(default_factory=ListMeta, description="")
    columnDefinitions: Annotated[list[TableColumnDefinition], Always()] = Field(default_factory=list, description="")
    rows: Annotated[list[TableRow], Always()] = Field(default_factory=list, description="")
