"""Verification of clients' certificates, and the user that a certificate names (``authentication/request/x509``)."""

from collections.abc import Callable
from datetime import datetime
from typing import Final, Generic, NamedTuple, TypeVar

from cryptography import x509
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.x509.oid import NameOID, ObjectIdentifier

from memkube.auth.authentication.certificate_authorities import CertificateAuthorities, verify
from memkube.registry.declarations.authentication import RejectedCertificateError, with_group_of_authenticated
from memkube.registry.declarations.request_options import User

T = TypeVar("T")
_UID: Final = ObjectIdentifier("1.3.6.1.4.1.57683.2")
_CREDENTIAL_ID: Final = "authentication.kubernetes.io/credential-id"
_MOST_KNOWN: Final = 1000
"""Maximum number of verified certificates in the cache."""


class _Known(NamedTuple, Generic[T]):
    value: T
    begins: datetime
    ends: datetime


class ClientCertificates(Generic[T]):
    """Verifies the certificates of clients, and caches what the function `read` returns for valid certificates."""

    def __init__(
        self,
        authorities: CertificateAuthorities,
        now: Callable[[], datetime],
        read: Callable[[x509.Certificate], T],
    ) -> None:
        """Create the verifier.

        `now` returns the time of the server's clock. `read` gets a certificate that has just been verified, and returns
        what `verified` returns for it, such as a user. It may raise RejectedCertificateError.
        """
        self._authorities = authorities
        self._now = now
        self._read = read
        self._trusted = authorities.current()
        self._known: dict[tuple[bytes, ...], _Known[T]] = {}

    def verified(self, chain: tuple[bytes, ...]) -> T:
        """Verify the first certificate of `chain`, and return the result of the function `read` for this certificate.

        `read` is the argument of the constructor. Certificates are in DER; those after the first may be intermediate
        ones. Raises RejectedCertificateError if the first certificate is not valid now, or if `read` rejects it.
        """
        now, trusted = self._now(), self._authorities.current()
        if trusted is not self._trusted:
            self._trusted = trusted
            self._known.clear()
        known = self._known.get(chain)
        if known is None or not known.begins <= now <= known.ends:
            found = verify(chain, trusted, now)
            known = _Known(self._read(found.certificate), found.begins, found.ends)
            while len(self._known) >= _MOST_KNOWN:
                del self._known[next(iter(self._known))]
            self._known[chain] = known
        return known.value


def named_user(certificate: x509.Certificate) -> User | None:
    """Return the user that a client's certificate names; None if it has no common name.

    The common name is the name of the user, and the organizations are the groups. Raises RejectedCertificateError if
    the subject of the certificate is malformed.
    """
    name = common_name(certificate)
    if not name:
        return None
    fingerprint = f"X509SHA256={certificate.fingerprint(SHA256()).hex()}"
    groups = _values(certificate, NameOID.ORGANIZATION_NAME)
    user = User(name, _uid(certificate), tuple(groups), {_CREDENTIAL_ID: (fingerprint,)})
    return with_group_of_authenticated(user)


def common_name(certificate: x509.Certificate) -> str:
    """Return the last common name of a certificate's subject; empty if it has none.

    Raises RejectedCertificateError if the subject is malformed.
    """
    names = _values(certificate, NameOID.COMMON_NAME)
    return names[-1] if names else ""


def _uid(certificate: x509.Certificate) -> str:
    """Return the uid of the user that a certificate names; empty if it has none.

    Raises RejectedCertificateError if the certificate has several uids, or an empty one.
    """
    uids = _values(certificate, _UID)
    if len(uids) > 1:
        raise RejectedCertificateError(f"expected 1 UID, but found multiple: {uids}")
    if uids and not uids[0]:
        raise RejectedCertificateError("UID cannot be an empty string")
    return uids[0] if uids else ""


def _values(certificate: x509.Certificate, name: ObjectIdentifier) -> list[str]:
    """Return the values of an attribute of a certificate's subject.

    Raises RejectedCertificateError if the subject is malformed.
    """
    try:
        attributes = certificate.subject.get_attributes_for_oid(name)
    except ValueError as error:
        raise RejectedCertificateError(f"the subject of the certificate is malformed: {error}") from None
    return [attribute.value for attribute in attributes if isinstance(attribute.value, str)]
