"""CertificateSigningRequests: certificates that are asked for."""

from memkube.registry.lazy import Lazy
from memkube.registry.resource import Resource, name_field, status_subresource

RESOURCE = Resource(
    group="certificates.k8s.io",
    version="v1",
    kind="CertificateSigningRequest",
    plural="certificatesigningrequests",
    singular="certificatesigningrequest",
    namespaced=False,
    selectable_fields=name_field,
    short_names=("csr",),
    model=Lazy("memkube.apis.certificates.v1.certificatesigningrequests.types:CertificateSigningRequest"),
    strategy=Lazy(
        "memkube.apis.certificates.v1.certificatesigningrequests.strategy:CertificateSigningRequestStrategy()"
    ),
    printer=Lazy("memkube.apis.certificates.v1.certificatesigningrequests.columns:PRINTER"),
    subresources=(
        # TODO approval: ['get', 'patch', 'update']
        status_subresource(
            Lazy(
                "memkube.apis.certificates.v1.certificatesigningrequests.strategy:CertificateSigningRequestStatusStrategy()"
            )
        ),
    ),
)
