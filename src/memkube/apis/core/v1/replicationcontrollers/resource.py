"""Declaration of ReplicationControllers. The catalog adds their ``scale`` subresource, which is of another group."""

from collections.abc import Mapping

from memkube.apimachinery.model import Document
from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, metadata_fields, status_subresource


def selectable_fields(document: Document) -> Mapping[str, str]:
    """Return the fields that field selectors of ReplicationControllers can use."""
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
    model=Lazy("memkube.apis.core.v1.replicationcontrollers.types:ReplicationController"),
    strategy=Lazy("memkube.apis.core.v1.replicationcontrollers.strategy:ReplicationControllerStrategy()"),
    printer=Lazy("memkube.apis.core.v1.replicationcontrollers.columns:PRINTER"),
    selectable_fields=selectable_fields,
    selectable_labels=frozenset({"metadata.name", "metadata.namespace", "status.replicas"}),
    unsupported_field_label=lambda label: f"field label not supported: {label}",
    subresources=(
        status_subresource(
            Lazy("memkube.apis.core.v1.replicationcontrollers.strategy:ReplicationControllerStatusStrategy()")
        ),
    ),
)
