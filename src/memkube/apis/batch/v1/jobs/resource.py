from collections.abc import Mapping

from memkube.apimachinery.model import Document
from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import FieldSelection, Resource, metadata_fields, status_subresource

lazy = LazyPackage(__package__)


def selectable_fields(document: Document) -> Mapping[str, str]:
    """Return the values of a Job that field selectors can use, by field path."""
    return {**metadata_fields(document), "status.successful": str(document["status"].get("succeeded", 0))}


RESOURCE = Resource(
    group="batch",
    version="v1",
    kind="Job",
    plural="jobs",
    categories=("all",),
    model=lazy("types:Job"),
    strategy=lazy("strategy:JobStrategy()"),
    printer=lazy("columns:PRINTER"),
    fields=FieldSelection(
        selectable_fields,
        frozenset({"metadata.name", "metadata.namespace", "status.successful"}),
        unsupported="field label {quoted} not supported for Job",
    ),
    subresources=(status_subresource(lazy("strategy:JobStatusStrategy()")),),
)
