from collections.abc import Mapping

from memkube.apimachinery.model import Document
from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import (
    NOT_SUPPORTED,
    ConnectSubresource,
    FieldSelection,
    Resource,
    StorageForm,
    metadata_fields,
    status_subresource,
)

lazy = LazyPackage(__package__)


def selectable_fields(document: Document) -> Mapping[str, str]:
    """Return the values of a Service that field selectors can use, by field path."""
    spec = document["spec"]
    own = {"spec.clusterIP": spec.get("clusterIP", ""), "spec.type": spec.get("type", "")}
    return {**metadata_fields(document), **own}


RESOURCE = Resource(
    group="",
    version="v1",
    kind="Service",
    plural="services",
    stored=StorageForm(prefix="services/specs"),
    short_names=("svc",),
    categories=("all",),
    model=lazy("types:Service"),
    strategy=lazy("strategy:ServiceStrategy()"),
    printer=lazy("columns:PRINTER"),
    fields=FieldSelection(
        selectable_fields,
        frozenset({"metadata.name", "metadata.namespace", "spec.clusterIP", "spec.type"}),
        NOT_SUPPORTED,
    ),
    subresources=(
        ConnectSubresource(
            "proxy",
            ("create", "delete", "get", "patch", "update"),
            connect=lazy("proxy:proxy"),
            methods=("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"),
            options=lazy("proxy:ServiceProxyOptions"),
            options_kind="ServiceProxyOptions",
            has_path=True,
        ),
        status_subresource(lazy("strategy:ServiceStatusStrategy()")),
    ),
)
