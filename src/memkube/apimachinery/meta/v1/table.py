"""Objects as others than their kind show them: reduced to their metadata, or as rows for printing."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Named
from memkube.apimachinery.meta.v1.api_object import ApiObject, ListMeta, TypeMeta
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Raw


class PartialObjectMetadata(ApiObject):
    """An object of any kind with nothing but its metadata."""


class PartialObjectMetadataList(TypeMeta):
    """Objects with nothing but their metadata."""

    metadata: ListMeta = Field(default_factory=ListMeta, description="Version of the list and token for what follows.")
    items: Annotated[list[PartialObjectMetadata], Always()] = Field(
        default_factory=list, description="Objects of the list."
    )


class TableColumnDefinition(ApiModel):
    """A column."""

    name: Annotated[str, Always()] = Field(default="", description="Heading of the column.")
    type: Annotated[str, Always()] = Field(
        default="", description="Type of the cells: string, integer, number, boolean or date."
    )
    format: Annotated[str, Always()] = Field(
        default="", description="Further detail on the type; name marks the column that identifies the row."
    )
    description: Annotated[str, Always()] = Field(default="", description="What the column shows.")
    priority: Annotated[Int32, Always()] = Field(
        default=0, description="0 for columns that are always printed, more for those of the wide form."
    )


class TableRowCondition(ApiModel):
    """A remark about a row."""

    type: Annotated[str, Named("v1.RowConditionType"), Always()] = Field(
        default="", description="Kind of the remark; Completed marks objects that have ended."
    )
    status: Annotated[str, Named("v1.ConditionStatus"), Always()] = Field(
        default="", description="True, False or Unknown."
    )
    reason: str = Field(default="", description="Why, in one word.")
    message: str = Field(default="", description="Why, for people.")


class TableRow(ApiModel):
    """An object's row."""

    cells: Annotated[list[Raw | None], Always()] = Field(
        default_factory=list, description="Values, one for each column."
    )
    conditions: list[TableRowCondition] = Field(default_factory=list, description="Remarks about the row.")
    object: Annotated[Raw | None, Named("runtime.RawExtension"), Always()] = Field(
        default=None, description="Object of the row, whole, reduced to its metadata, or none."
    )


class Table(TypeMeta):
    """Objects as rows of cells."""

    metadata: ListMeta = Field(default_factory=ListMeta, description="Version of the list and token for what follows.")
    columnDefinitions: Annotated[list[TableColumnDefinition], Always()] = Field(
        default_factory=list, description="Columns."
    )
    rows: Annotated[list[TableRow], Always()] = Field(default_factory=list, description="Rows.")
