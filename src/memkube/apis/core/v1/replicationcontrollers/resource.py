"""ReplicationControllers, as they are served; the catalog adds their ``scale``, which is of another group."""

from collections.abc import Mapping

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.replicationcontrollers.columns import PRINTER
from memkube.apis.core.v1.replicationcontrollers.strategy import (
    ReplicationControllerStatusStrategy,
    ReplicationControllerStrategy,
)
from memkube.apis.core.v1.replicationcontrollers.types import ReplicationController
from memkube.registry.resource import Resource, metadata_fields, status_subresource


def selectable_fields(document: Document) -> Mapping[str, str]:
    """The fields that controllers can be selected by."""
    return {**metadata_fields(document), "status.replicas": str(document["status"].get("replicas", 0))}


RESOURCE = Resource(
    group="",
    version="v1",
    kind="ReplicationController",
    plural="replicationcontrollers",
    storage_prefix="controllers",
    singular="replicationcontroller",
    short_names=("rc",),
    categories=("all",),
    model=ReplicationController,
    strategy=ReplicationControllerStrategy(),
    printer=PRINTER,
    selectable_fields=selectable_fields,
    selectable_labels=frozenset({"metadata.name", "metadata.namespace", "status.replicas"}),
    unsupported_field_label=lambda label: f"field label not supported: {label}",
    subresources=(
        status_subresource(ReplicationController, "ReplicationController", ReplicationControllerStatusStrategy()),
    ),
)
