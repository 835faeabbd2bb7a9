"""Certificate authorities that verify the certificates of clients (Go's ``crypto/x509`` ``Certificate.Verify``)."""

import logging
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.x509.oid import ExtendedKeyUsageOID
from OpenSSL import crypto

from memkube.apimachinery.x509_objects import read_certificate
from memkube.auth.authentication.changing_files import ChangingFiles
from memkube.errors import reason_of
from memkube.registry.declarations.authentication import RejectedCertificateError

_LOGGER: Final = logging.getLogger("memkube")
_USAGES: Final = {ExtendedKeyUsageOID.CLIENT_AUTH, ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE}
_BROKEN_HASHES: Final = frozenset({"md5", "sha1"})


class CertificateAuthorities:
    """The authorities in a PEM file, which is read again when it has changed."""

    def __init__(self, path: Path) -> None:
        """Read the authorities from a PEM file.

        Raises ValueError with a one-line message if the file cannot be read or has no certificates.
        """
        self._path = path
        self._files = ChangingFiles([path])
        self._current = read_authorities(path)

    def current(self) -> tuple[x509.Certificate, ...]:
        """Return the certificates of the authorities: the same tuple as before if the file has not changed.

        If the file has changed and cannot be read, the earlier certificates stay valid, and the reason is logged.
        """
        if self._files.have_changed():
            try:
                self._current = read_authorities(self._path)
            except ValueError as error:
                _LOGGER.warning("%s", error)
        return self._current


def read_authorities(path: Path) -> tuple[x509.Certificate, ...]:
    """Return the certificates in a PEM file.

    Raises ValueError with a one-line message if the file cannot be read or has no certificates.
    """
    try:
        return tuple(x509.load_pem_x509_certificates(path.read_bytes()))
    except (OSError, ValueError) as error:
        raise ValueError(f"cannot read the certificate authorities of clients in {path}: {reason_of(error)}") from None


class VerifiedCertificate(NamedTuple):
    """A client's certificate, and the time during which all certificates of its verified chain are valid."""

    certificate: x509.Certificate
    begins: datetime
    ends: datetime


def verify(chain: Sequence[bytes], authorities: Sequence[x509.Certificate], now: datetime) -> VerifiedCertificate:
    """Verify the first certificate of a chain: the authorities signed it for use by clients, and it is valid at `now`.

    The chain is in DER; its other certificates may be intermediate ones. Raises RejectedCertificateError if the first
    certificate is malformed or not valid.
    """
    store = crypto.X509Store()
    store.set_time(now.astimezone(UTC))
    # As in Go, a chain may end at any certificate of the authorities' file, not only at a self-signed one.
    store.set_flags(crypto.X509StoreFlags.PARTIAL_CHAIN)
    for authority in authorities:
        store.add_cert(crypto.X509.from_cryptography(authority))
    try:
        own, *others = (read_certificate(one) for one in chain)
        sent, *issuers = (crypto.X509.from_cryptography(one) for one in (own, *others))
        found = crypto.X509StoreContext(store, sent, issuers).get_verified_chain()
        verified = [one.to_cryptography() for one in found]
        _check_usages(verified)
        _check_hashes(verified)
    except crypto.X509StoreContextError as error:
        raise RejectedCertificateError(str(error)) from None
    except (ValueError, UnsupportedAlgorithm, crypto.Error) as error:
        raise RejectedCertificateError(f"the certificate is malformed: {error}") from None
    begins = max(one.not_valid_before_utc for one in verified)
    return VerifiedCertificate(own, begins, min(one.not_valid_after_utc for one in verified))


def _check_usages(chain: Sequence[x509.Certificate]) -> None:
    """Raise RejectedCertificateError if a certificate of the chain must not be used to authenticate clients."""
    for certificate in chain:
        try:
            extension = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage)
        except x509.ExtensionNotFound:
            continue
        if _USAGES.isdisjoint(extension.value):
            raise RejectedCertificateError("the certificate specifies an incompatible key usage")


def _check_hashes(chain: Sequence[x509.Certificate]) -> None:
    """Raise RejectedCertificateError if a signature in the chain uses an insecure hash function.

    The last certificate in the chain belongs to a trusted authority. Its signature is not checked, because it does not
    contribute to the trust.
    """
    for certificate in chain[:-1]:
        algorithm = certificate.signature_hash_algorithm
        if algorithm is not None and algorithm.name in _BROKEN_HASHES:
            raise RejectedCertificateError(f"the signature uses the insecure hash function {algorithm.name}")
