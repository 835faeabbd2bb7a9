"""Parsed content of CertificateSigningRequests (``pkg/apis/certificates/helpers.go``)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.types import CertificatePublicKeyTypes
from cryptography.x509.oid import NameOID, ObjectIdentifier

from memkube.apimachinery.base64 import decode_base64
from memkube.apimachinery.pem import pem_blocks
from memkube.apimachinery.x509_objects import read_request
from memkube.registry.objects.stored import StoredObject

_KIND_NAMES: Final[Mapping[type[x509.GeneralName], str]] = {
    x509.DNSName: "DNS",
    x509.RFC822Name: "Email",
    x509.IPAddress: "IP",
    x509.UniformResourceIdentifier: "URI",
}
"""Supported types of subject alternative names in Go's order, with the names that errors give them."""
_NODE: Final = "system:node:"
_SUBJECT: Final = (
    NameOID.COUNTRY_NAME,
    NameOID.ORGANIZATION_NAME,
    NameOID.ORGANIZATIONAL_UNIT_NAME,
    NameOID.LOCALITY_NAME,
    NameOID.STATE_OR_PROVINCE_NAME,
    NameOID.STREET_ADDRESS,
    NameOID.POSTAL_CODE,
    NameOID.COMMON_NAME,
    NameOID.SERIAL_NUMBER,
)
"""Attributes of an X.509 subject that Go's ``pkix.Name`` has, in the order in which Go writes them."""
_SINGLE: Final = (NameOID.COMMON_NAME, NameOID.SERIAL_NUMBER)


@dataclass(frozen=True)
class RequestedCertificate:
    """The parsed content of a CertificateSigningRequest: its X.509 request and the requested key usages."""

    request: x509.CertificateSigningRequest
    usages: frozenset[str]

    @classmethod
    def of(cls, stored: StoredObject) -> "RequestedCertificate":
        """Decode a CertificateSigningRequest.

        Raises ValueError for a request that Go's ``crypto/x509`` cannot parse.
        """
        spec = stored.document["spec"]
        block = next(pem_blocks(decode_base64(spec["request"])))
        requested = cls(read_request(block.content), frozenset(spec.get("usages") or ()))
        _ = requested.names  # Parse the names now, so that a request with malformed names fails here.
        return requested

    @property
    def public_key(self) -> CertificatePublicKeyTypes:
        """Public key for which the certificate is requested."""
        return self.request.public_key()

    @cached_property
    def subject(self) -> x509.Name:
        """Subject of the request as Go writes it: known attributes in Go's order, equal attributes together."""
        groups = [list(self.request.subject.get_attributes_for_oid(oid)) for oid in _SUBJECT]
        single = [_SUBJECT.index(oid) for oid in _SINGLE]
        groups = [group[-1:] if index in single else group for index, group in enumerate(groups)]
        return x509.Name([x509.RelativeDistinguishedName(dict.fromkeys(group)) for group in groups if group])

    @cached_property
    def names(self) -> list[x509.GeneralName]:
        """The requested subject alternative names: DNS names, email addresses, IP addresses and URIs, in this order.

        Names of other types are left out, as in Go. Raises ValueError if the extension is malformed, occurs twice, or
        has a name of a type that ``cryptography`` cannot read.
        """
        try:
            found = self.request.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        except x509.ExtensionNotFound:
            return []
        except (x509.DuplicateExtension, x509.UnsupportedGeneralNameType) as error:
            raise ValueError(str(error)) from None
        return [name for kind in _KIND_NAMES for name in found if isinstance(name, kind)]

    @property
    def common_name(self) -> str:
        """Common name in the subject of the request; empty if it has none."""
        return next(reversed(self._values(NameOID.COMMON_NAME)), "")

    def kubelet_client_error(self) -> str | None:
        """Return why this request is not a kubelet's request for a client certificate, or None if it is one."""
        return (
            self._organization_error()
            or self._error_of_refused(*_KIND_NAMES)
            or self._common_name_error()
            or self._usages_error("client auth")
        )

    def kubelet_serving_error(self) -> str | None:
        """Return why this request is not a kubelet's request for a serving certificate, or None if it is one."""
        is_named = any(isinstance(name, x509.DNSName | x509.IPAddress) for name in self.names)
        return (
            self._organization_error()
            or (None if is_named else "DNS or IP subjectAltName is required")
            or self._error_of_refused(x509.RFC822Name, x509.UniformResourceIdentifier)
            or self._usages_error("server auth")
            or self._common_name_error()
        )

    def _values(self, oid: ObjectIdentifier) -> list[str]:
        return [str(attribute.value) for attribute in self.request.subject.get_attributes_for_oid(oid)]

    def _organization_error(self) -> str | None:
        is_node = self._values(NameOID.ORGANIZATION_NAME) == ["system:nodes"]
        return None if is_node else "subject organization is not system:nodes"

    def _common_name_error(self) -> str | None:
        is_node = self.common_name.startswith(_NODE)
        return None if is_node else f"subject common name does not begin with {_NODE}"

    def _error_of_refused(self, *kinds: type[x509.GeneralName]) -> str | None:
        for kind in kinds:
            if any(isinstance(each, kind) for each in self.names):
                return f"{_KIND_NAMES[kind]} subjectAltNames are not allowed"
        return None

    def _usages_error(self, purpose: str) -> str | None:
        needed = {"digital signature", purpose}
        if self.usages - {"key encipherment"} == needed:
            return None
        listed = " ".join(sorted({*needed, "key encipherment"}))
        return f"usages did not match [{listed}]"
