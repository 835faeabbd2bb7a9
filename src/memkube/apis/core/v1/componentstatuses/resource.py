"""ComponentStatuses: health of the control plane's components (deprecated)."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, name_field

RESOURCE = Resource(
    group="",
    version="v1",
    kind="ComponentStatus",
    plural="componentstatuses",
    singular="componentstatus",
    namespaced=False,
    selectable_fields=name_field,
    short_names=("cs",),
    verbs=("get", "list"),
    model=Lazy("memkube.apis.core.v1.componentstatuses.types:ComponentStatus"),
    printer=Lazy("memkube.apis.core.v1.componentstatuses.columns:PRINTER"),
    computed=Lazy("memkube.apis.core.v1.componentstatuses.components:Components()"),
    deprecation="v1 ComponentStatus is deprecated in v1.19+",
)
