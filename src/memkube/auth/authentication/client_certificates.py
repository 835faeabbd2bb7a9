"""Finds the user that a client's certificate names (apiserver ``authentication/request/x509``)."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.x509.oid import NameOID, ObjectIdentifier

from memkube.auth.authentication.certificate_authorities import CertificateAuthorities
from memkube.registry.declarations.authentication import RejectedCertificateError, with_group_of_authenticated
from memkube.registry.declarations.request_options import User

_UID: Final = ObjectIdentifier("1.3.6.1.4.1.57683.2")
_CREDENTIAL_ID: Final = "authentication.kubernetes.io/credential-id"
_MOST_KNOWN: Final = 1000


class _Known(NamedTuple):
    user: User | None
    begins: datetime
    ends: datetime


class ClientCertificates:
    """Authenticates the clients of TLS connections: the user is the common name, its groups are the organizations."""

    def __init__(self, authorities: Sequence[x509.Certificate], now: Callable[[], datetime]) -> None:
        self._authorities = CertificateAuthorities(authorities)
        self._now = now
        self._known: dict[tuple[bytes, ...], _Known] = {}

    def user_of(self, chain: tuple[bytes, ...]) -> User | None:
        """Return the user of a client that has sent these certificates, in DER; None if its own names no user.

        Raises RejectedCertificateError if the certificate is not valid now.
        """
        now = self._now()
        known = self._known.get(chain)
        if known is None or not known.begins <= now <= known.ends:
            verified = self._authorities.verify(chain, now)
            known = _Known(_named_user(verified.certificate), verified.begins, verified.ends)
            while len(self._known) >= _MOST_KNOWN:
                del self._known[next(iter(self._known))]
            self._known[chain] = known
        return known.user


def _named_user(certificate: x509.Certificate) -> User | None:
    names = _values(certificate, NameOID.COMMON_NAME)
    if not names or not names[-1]:
        return None
    fingerprint = f"X509SHA256={certificate.fingerprint(SHA256()).hex()}"
    groups = _values(certificate, NameOID.ORGANIZATION_NAME)
    user = User(names[-1], _uid(certificate), tuple(groups), {_CREDENTIAL_ID: (fingerprint,)})
    return with_group_of_authenticated(user)


def _uid(certificate: x509.Certificate) -> str:
    """Return the uid of the user, or an empty text. Raises RejectedCertificateError for several, and an empty one."""
    uids = _values(certificate, _UID)
    if len(uids) > 1:
        raise RejectedCertificateError(f"expected 1 UID, but found multiple: {uids}")
    if uids and not uids[0]:
        raise RejectedCertificateError("UID cannot be an empty string")
    return uids[0] if uids else ""


def _values(certificate: x509.Certificate, name: ObjectIdentifier) -> list[str]:
    """Return the values of an attribute of the subject. Raises RejectedCertificateError for a malformed subject."""
    try:
        attributes = certificate.subject.get_attributes_for_oid(name)
    except ValueError as error:
        raise RejectedCertificateError(f"the subject of the certificate is malformed: {error}") from None
    return [attribute.value for attribute in attributes if isinstance(attribute.value, str)]
