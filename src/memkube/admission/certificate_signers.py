"""CertificateApproval and CertificateSigning: users need the right to approve or sign requests for a signer."""

from typing import ClassVar, Final

from memkube.admission.chain import Plugin
from memkube.apimachinery.shown_values import quoted
from memkube.apis.certificates.v1.certificatesigningrequests.types import CertificateSigningRequest
from memkube.auth.authorization.interface import Attributes as AuthorizationAttributes
from memkube.auth.authorization.interface import Authorizer, NotAllowed
from memkube.registry.declarations.admission import Attributes, refused
from memkube.registry.declarations.request_options import Right, WriteContext

_GROUP: Final = "certificates.k8s.io"


class CertificateApproval(Plugin):
    """Admission plugin that refuses approvals by users who may not approve requests for the signer.

    Source: ``plugin/pkg/admission/certificates/approval``.
    """

    name: ClassVar[str] = "CertificateApproval"

    async def validate(self, attributes: Attributes) -> None:
        """Refuse an update of the subresource ``approval`` by a user who may not approve requests for the signer."""
        old = attributes.old
        if attributes.subresource != "approval" or not isinstance(old, CertificateSigningRequest):
            return
        signer = old.spec.signerName
        if right := await _missing(self._registry.kind_services.authorizer, attributes.context, "approve", signer):
            why = f"user not permitted to approve requests with signerName {quoted(signer)}"
            raise NotAllowed.of(refused(attributes, why), right)


class CertificateSigning(Plugin):
    """Admission plugin that refuses certificates from users who may not sign requests for the signer.

    Source: ``plugin/pkg/admission/certificates/signing``.
    """

    name: ClassVar[str] = "CertificateSigning"

    async def validate(self, attributes: Attributes) -> None:
        """Refuse a change of certificate or conditions by a user who may not sign requests for the signer."""
        new, old = attributes.new, attributes.old
        if attributes.subresource != "status" or not isinstance(old, CertificateSigningRequest):
            return
        assert isinstance(new, CertificateSigningRequest)
        before, after = old.status, new.status
        if after.certificate == before.certificate and after.conditions == before.conditions:
            return
        signer = old.spec.signerName
        if right := await _missing(self._registry.kind_services.authorizer, attributes.context, "sign", signer):
            why = f"user not permitted to sign requests with signerName {quoted(signer)}"
            raise NotAllowed.of(refused(attributes, why), right)


async def _missing(authorizer: Authorizer, context: WriteContext, verb: str, signer: str) -> Right | None:
    """Return the right that the user lacks to approve or sign requests for a signer; None if the user has it.

    `verb` is ``approve`` or ``sign``. The right for ``DOMAIN/*``, that is, for all signers of the domain, is sufficient
    too: the result is then None.
    """
    domain = signer.split("/", maxsplit=1)[0]
    asked = [
        AuthorizationAttributes(context.user, verb, "", _GROUP, "*", "signers", "", name)
        for name in (signer, f"{domain}/*")
    ]
    context.rights.append(asked[0].right)
    for attributes in asked:
        if (await authorizer.decide(attributes)).allowed:
            return None
    return asked[0].right
