"""Jobs, as they are served."""

from collections.abc import Mapping

from memkube.apimachinery.model import Document
from memkube.apimachinery.shown_values import quoted
from memkube.apis.batch.v1.jobs.columns import PRINTER
from memkube.apis.batch.v1.jobs.store import JobStore
from memkube.apis.batch.v1.jobs.strategy import JobStatusStrategy, JobStrategy
from memkube.apis.batch.v1.jobs.types import Job
from memkube.registry.resource import Resource, metadata_fields, status_subresource


def selectable_fields(document: Document) -> Mapping[str, str]:
    """The fields that jobs can be selected by."""
    return {**metadata_fields(document), "status.successful": str(document["status"].get("succeeded", 0))}


RESOURCE = Resource(
    group="batch",
    version="v1",
    kind="Job",
    plural="jobs",
    singular="job",
    categories=("all",),
    model=Job,
    strategy=JobStrategy(),
    printer=PRINTER,
    selectable_fields=selectable_fields,
    selectable_labels=frozenset({"metadata.name", "metadata.namespace", "status.successful"}),
    unsupported_field_label=lambda label: f"field label {quoted(label)} not supported for Job",
    make_store=JobStore,
    subresources=(status_subresource(Job, "Job", JobStatusStrategy()),),
)
