from collections.abc import Mapping

from memkube.apimachinery.model import Document
from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import FieldSelection, Resource

lazy = LazyPackage(__package__)


def selectable_fields(document: Document) -> Mapping[str, str]:
    """Return the values of a ResourceSlice that field selectors can use, by field path."""
    spec = document["spec"]
    return {
        "metadata.name": document["metadata"].get("name", ""),
        "spec.nodeName": spec.get("nodeName", ""),
        "spec.driver": spec["driver"],
    }


RESOURCE = Resource(
    group="resource.k8s.io",
    version="v1",
    kind="ResourceSlice",
    plural="resourceslices",
    namespaced=False,
    fields=FieldSelection(
        selectable_fields,
        frozenset({"metadata.name", "spec.nodeName", "spec.driver"}),
        unsupported="field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: {}",
    ),
    model=lazy("types:ResourceSlice"),
    strategy=lazy("strategy:ResourceSliceStrategy()"),
    printer=lazy("columns:PRINTER"),
)
