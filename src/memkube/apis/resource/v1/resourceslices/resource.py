"""ResourceSlices: devices that a driver offers."""

from collections.abc import Mapping

from memkube.apimachinery.model import Document
from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, name_field


def selectable_fields(document: Document) -> Mapping[str, str]:
    """Return the fields that field selectors of ResourceSlices can use."""
    spec = document["spec"]
    return {**name_field(document), "spec.nodeName": spec.get("nodeName", ""), "spec.driver": spec["driver"]}


RESOURCE = Resource(
    group="resource.k8s.io",
    version="v1",
    kind="ResourceSlice",
    plural="resourceslices",
    singular="resourceslice",
    namespaced=False,
    selectable_fields=selectable_fields,
    selectable_labels=frozenset({"metadata.name", "spec.nodeName", "spec.driver"}),
    unsupported_field_label=lambda label: (
        f"field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: {label}"
    ),
    model=Lazy("memkube.apis.resource.v1.resourceslices.types:ResourceSlice"),
    strategy=Lazy("memkube.apis.resource.v1.resourceslices.strategy:ResourceSliceStrategy()"),
    printer=Lazy("memkube.apis.resource.v1.resourceslices.columns:PRINTER"),
)
