"""CertificateSubjectRestriction: refuses client certificates that would grant membership in ``system:masters``."""

from typing import ClassVar, Final

from memkube.admission.chain import AdmissionParts, Plugin
from memkube.apimachinery.base64 import decode_base64
from memkube.apis.certificates.v1.certificatesigningrequests.pkcs10 import organizations
from memkube.apis.certificates.v1.certificatesigningrequests.types import CertificateSigningRequest
from memkube.registry.declarations.admission import Attributes, refused
from memkube.registry.declarations.request_options import MASTERS

_SIGNER: Final = "kubernetes.io/kube-apiserver-client"


class CertificateSubjectRestriction(Plugin):
    """Admission plugin that refuses requests for client certificates of the group ``system:masters``.

    Source: ``plugin/pkg/admission/certificates/subjectrestriction``.
    """

    name: ClassVar[str] = "CertificateSubjectRestriction"

    def __init__(self, parts: AdmissionParts) -> None:
        """Create the plugin. It reads no stored objects, so it does not use `parts`, the parts of the server."""

    async def validate(self, attributes: Attributes) -> None:
        """Refuse a CertificateSigningRequest for a client in the group ``system:masters``.

        Only requests for the signer ``kubernetes.io/kube-apiserver-client`` are checked. The client's groups are the
        organizations in the subject of the certificate request.
        """
        request = attributes.new
        if attributes.subresource or not isinstance(request, CertificateSigningRequest):
            return
        if request.spec.signerName != _SIGNER:
            return
        if MASTERS in organizations(decode_base64(request.spec.request)):
            raise refused(attributes, f"use of {_SIGNER} signer with {MASTERS} group is not allowed")
