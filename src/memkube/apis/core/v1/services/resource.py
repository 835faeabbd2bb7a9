"""Services: stable names and addresses for sets of pods."""

from collections.abc import Mapping
from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import ConnectSubresource, Resource, metadata_fields, status_subresource

_SERVICES: Final = "memkube.apis.core.v1.services"


def selectable_fields(document: Document) -> Mapping[str, str]:
    """Return the fields that field selectors of Services can use."""
    spec = document["spec"]
    own = {"spec.clusterIP": spec.get("clusterIP", ""), "spec.type": spec.get("type", "")}
    return {**metadata_fields(document), **own}


RESOURCE = Resource(
    group="",
    version="v1",
    kind="Service",
    plural="services",
    singular="service",
    storage_prefix="services/specs",
    short_names=("svc",),
    categories=("all",),
    model=Lazy(f"{_SERVICES}.types:Service"),
    strategy=Lazy(f"{_SERVICES}.strategy:ServiceStrategy()"),
    printer=Lazy(f"{_SERVICES}.columns:PRINTER"),
    selectable_fields=selectable_fields,
    selectable_labels=frozenset({"metadata.name", "metadata.namespace", "spec.clusterIP", "spec.type"}),
    unsupported_field_label=lambda label: f"field label not supported: {label}",
    subresources=(
        ConnectSubresource(
            "proxy",
            ("create", "delete", "get", "patch", "update"),
            connect=Lazy(f"{_SERVICES}.proxy:proxy"),
            methods=("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"),
            options=Lazy(f"{_SERVICES}.proxy:ServiceProxyOptions"),
            options_kind="ServiceProxyOptions",
            has_path=True,
        ),
        status_subresource(Lazy(f"{_SERVICES}.strategy:ServiceStatusStrategy()")),
    ),
)
