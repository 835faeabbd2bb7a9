"""FlowSchemas: rules that assign requests to priority levels."""

from memkube.apimachinery.model import Document
from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, name_field, status_subresource


def row_order(schema: Document) -> tuple[int, str]:
    """Return the sort key of schemas in tables: their matching precedence, then name (``printFlowSchemaList``)."""
    return schema["spec"]["matchingPrecedence"], schema["metadata"]["name"]


RESOURCE = Resource(
    group="flowcontrol.apiserver.k8s.io",
    version="v1",
    kind="FlowSchema",
    plural="flowschemas",
    singular="flowschema",
    namespaced=False,
    selectable_fields=name_field,
    model=Lazy("memkube.apis.flowcontrol.v1.flowschemas.types:FlowSchema"),
    strategy=Lazy("memkube.apis.flowcontrol.v1.flowschemas.strategy:FlowSchemaStrategy()"),
    row_order=row_order,
    printer=Lazy("memkube.apis.flowcontrol.v1.flowschemas.columns:PRINTER"),
    subresources=(
        status_subresource(Lazy("memkube.apis.flowcontrol.v1.flowschemas.strategy:FlowSchemaStatusStrategy()")),
    ),
)
