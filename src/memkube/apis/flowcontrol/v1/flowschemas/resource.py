from memkube.apimachinery.model import Document
from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import ListForm, Resource, status_subresource

lazy = LazyPackage(__package__)


def row_order(schema: Document) -> tuple[int, str]:
    """Return the sort key of FlowSchemas in tables: matching precedence, then name (``printFlowSchemaList``)."""
    return schema["spec"]["matchingPrecedence"], schema["metadata"]["name"]


RESOURCE = Resource(
    group="flowcontrol.apiserver.k8s.io",
    version="v1",
    kind="FlowSchema",
    plural="flowschemas",
    namespaced=False,
    model=lazy("types:FlowSchema"),
    strategy=lazy("strategy:FlowSchemaStrategy()"),
    lists=ListForm(row_order=row_order),
    printer=lazy("columns:PRINTER"),
    subresources=(status_subresource(lazy("strategy:FlowSchemaStatusStrategy()")),),
)
