"""TODO."""

from memkube.apis.certificates.v1.certificatesigningrequests.types import CertificateSigningRequest
from memkube.registry.strategy import Strategy


class CertificateSigningRequestStrategy(Strategy[CertificateSigningRequest]):
    """TODO."""


class CertificateSigningRequestStatusStrategy(CertificateSigningRequestStrategy):
    """TODO."""
