"""Kind-independent forms of objects: metadata only, or rows of a table."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Named
from memkube.apimachinery.meta.v1.api_object import ApiObject, ListMeta, TypeMeta
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Raw


class PartialObjectMetadata(ApiObject):
    """An object of any kind, reduced to its metadata."""


class PartialObjectMetadataList(TypeMeta):
    """A list of objects, reduced to their metadata."""

    metadata: ListMeta = Field(
        default_factory=ListMeta,
        description="List metadata: resourceVersion, and a continue token if more objects follow.",
    )
    items: Annotated[list[PartialObjectMetadata], Always()] = Field(
        default_factory=list, description="Objects in the list, each only with its metadata."
    )


class TableColumnDefinition(ApiModel):
    """Name, type and description of a column of a table."""

    name: Annotated[str, Always()] = Field(
        default="", description="Title of the column, which kubectl prints in the header line."
    )
    type: Annotated[str, Always()] = Field(
        default="", description="Type of the cells: string, integer, number, boolean or date."
    )
    format: Annotated[str, Always()] = Field(
        default="",
        description="OpenAPI format of the cells, such as int64. The column of the objects' names has the format name.",
    )
    description: Annotated[str, Always()] = Field(default="", description="Explanation of the values in the column.")
    priority: Annotated[Int32, Always()] = Field(
        default=0, description="0 for columns that are always shown, higher for those of the wide output."
    )


class TableRowCondition(ApiModel):
    """State of the object in a table row, such as Completed, by which clients highlight rows."""

    type: Annotated[str, Named("v1.RowConditionType"), Always()] = Field(
        default="", description="Type of the condition; Completed marks objects that have finished."
    )
    status: Annotated[str, Named("v1.ConditionStatus"), Always()] = Field(
        default="", description="Status of the condition: True, False or Unknown."
    )
    reason: str = Field(default="", description="Reason for the status of the condition in one word.")
    message: str = Field(default="", description="Human-readable explanation of the condition's status.")


class TableRow(ApiModel):
    """A table row for one object."""

    cells: Annotated[list[Raw | None], Always()] = Field(
        default_factory=list, description="Cell values, one per column."
    )
    conditions: list[TableRowCondition] = Field(
        default_factory=list,
        description="States of the row's object, such as Completed, by which clients may highlight the row.",
    )
    object: Annotated[Raw | None, Named("runtime.RawExtension"), Always()] = Field(
        default=None, description="Object of the row: whole, reduced to its metadata, or absent."
    )


class Table(TypeMeta):
    """A table of objects, with the columns that kubectl prints."""

    metadata: ListMeta = Field(
        default_factory=ListMeta,
        description="List metadata: resourceVersion, and a continue token if more objects follow.",
    )
    columnDefinitions: Annotated[list[TableColumnDefinition], Always()] = Field(
        default_factory=list, description="Columns of the table; the cells of each row have the same order."
    )
    rows: Annotated[list[TableRow], Always()] = Field(
        default_factory=list, description="Rows of the table, one for each object."
    )
