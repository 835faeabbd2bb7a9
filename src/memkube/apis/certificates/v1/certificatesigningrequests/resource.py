"""CertificateSigningRequests: requests for X.509 certificates."""

from collections.abc import Mapping

from memkube.apimachinery.model import Document
from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import ObjectSubresource, Resource, name_field, status_subresource

_STRATEGY = "memkube.apis.certificates.v1.certificatesigningrequests.strategy"


def selectable_fields(document: Document) -> Mapping[str, str]:
    """Return the fields that field selectors of CertificateSigningRequests can use."""
    return {**name_field(document), "spec.signerName": document["spec"].get("signerName", "")}


RESOURCE = Resource(
    group="certificates.k8s.io",
    version="v1",
    kind="CertificateSigningRequest",
    plural="certificatesigningrequests",
    singular="certificatesigningrequest",
    namespaced=False,
    selectable_fields=selectable_fields,
    selectable_labels=frozenset({"metadata.name", "spec.signerName"}),
    unsupported_field_label=lambda label: f"field label not supported: {label}",
    short_names=("csr",),
    model=Lazy("memkube.apis.certificates.v1.certificatesigningrequests.types:CertificateSigningRequest"),
    strategy=Lazy(f"{_STRATEGY}:CertificateSigningRequestStrategy()"),
    printer=Lazy("memkube.apis.certificates.v1.certificatesigningrequests.columns:PRINTER"),
    subresources=(
        ObjectSubresource("approval", Lazy(f"{_STRATEGY}:ApprovalStrategy()"), tabular=False),
        status_subresource(Lazy(f"{_STRATEGY}:CertificateSigningRequestStatusStrategy()")),
    ),
)
