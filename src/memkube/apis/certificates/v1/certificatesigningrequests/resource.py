from collections.abc import Mapping

from memkube.apimachinery.model import Document
from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import (
    NOT_SUPPORTED,
    FieldSelection,
    ListForm,
    ObjectSubresource,
    Resource,
    status_subresource,
)

lazy = LazyPackage(__package__)


def selectable_fields(document: Document) -> Mapping[str, str]:
    """Return the values of a CertificateSigningRequest that field selectors can use, by field path."""
    return {
        "metadata.name": document["metadata"].get("name", ""),
        "spec.signerName": document["spec"].get("signerName", ""),
    }


RESOURCE = Resource(
    group="certificates.k8s.io",
    version="v1",
    kind="CertificateSigningRequest",
    plural="certificatesigningrequests",
    namespaced=False,
    fields=FieldSelection(selectable_fields, frozenset({"metadata.name", "spec.signerName"}), NOT_SUPPORTED),
    short_names=("csr",),
    model=lazy("types:CertificateSigningRequest"),
    strategy=lazy("strategy:CertificateSigningRequestStrategy()"),
    printer=lazy("columns:PRINTER"),
    lists=ListForm(bookmark_spec={"request": None}),
    subresources=(
        ObjectSubresource("approval", lazy("strategy:ApprovalStrategy()"), tabular=False),
        status_subresource(lazy("strategy:CertificateSigningRequestStatusStrategy()")),
    ),
)
