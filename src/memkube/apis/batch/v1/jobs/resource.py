"""Declaration of Jobs."""

from collections.abc import Mapping

from memkube.apimachinery.model import Document
from memkube.apimachinery.shown_values import quoted
from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, metadata_fields, status_subresource


def selectable_fields(document: Document) -> Mapping[str, str]:
    """Return the fields that field selectors of Jobs can use."""
    return {**metadata_fields(document), "status.successful": str(document["status"].get("succeeded", 0))}


RESOURCE = Resource(
    group="batch",
    version="v1",
    kind="Job",
    plural="jobs",
    singular="job",
    categories=("all",),
    model=Lazy("memkube.apis.batch.v1.jobs.types:Job"),
    strategy=Lazy("memkube.apis.batch.v1.jobs.strategy:JobStrategy()"),
    printer=Lazy("memkube.apis.batch.v1.jobs.columns:PRINTER"),
    selectable_fields=selectable_fields,
    selectable_labels=frozenset({"metadata.name", "metadata.namespace", "status.successful"}),
    unsupported_field_label=lambda label: f"field label {quoted(label)} not supported for Job",
    subresources=(status_subresource(Lazy("memkube.apis.batch.v1.jobs.strategy:JobStatusStrategy()")),),
)
