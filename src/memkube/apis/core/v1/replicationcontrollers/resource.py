"""Declaration of ReplicationControllers as an API resource.

``memkube.apis.catalog`` adds the ``scale`` subresource, whose kind belongs to the API group ``autoscaling``.
"""

from collections.abc import Mapping

from memkube.apimachinery.model import Document
from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import (
    NOT_SUPPORTED,
    FieldSelection,
    Resource,
    StorageForm,
    metadata_fields,
    status_subresource,
)

lazy = LazyPackage(__package__)


def selectable_fields(document: Document) -> Mapping[str, str]:
    """Return the values of a ReplicationController that field selectors can use, by field path."""
    return {**metadata_fields(document), "status.replicas": str(document["status"].get("replicas", 0))}


RESOURCE = Resource(
    group="",
    version="v1",
    kind="ReplicationController",
    plural="replicationcontrollers",
    stored=StorageForm(prefix="controllers"),
    short_names=("rc",),
    categories=("all",),
    model=lazy("types:ReplicationController"),
    strategy=lazy("strategy:ReplicationControllerStrategy()"),
    printer=lazy("columns:PRINTER"),
    fields=FieldSelection(
        selectable_fields, frozenset({"metadata.name", "metadata.namespace", "status.replicas"}), NOT_SUPPORTED
    ),
    subresources=(status_subresource(lazy("strategy:ReplicationControllerStatusStrategy()")),),
)
