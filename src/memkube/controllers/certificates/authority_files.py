"""A certificate authority in files, which signs CertificateSigningRequests (``pkg/controller/certificates/signer``)."""

import logging
from datetime import datetime
from typing import Final

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from memkube.auth.authentication.changing_files import ChangingFiles
from memkube.controllers.certificates.authority import CertificateAuthority
from memkube.controllers.options import SigningFiles
from memkube.errors import reason_of

_LOGGER: Final = logging.getLogger("memkube.controllers")


def read_authority(files: SigningFiles) -> CertificateAuthority:
    """Read the certificate authority in `files`.

    Raises ValueError with a one-line message if a file cannot be read, if the first file does not have exactly one
    certificate, or if the key is not that of the certificate.
    """
    try:
        found = x509.load_pem_x509_certificates(files.certificate.read_bytes())
        key = load_pem_private_key(files.key.read_bytes(), None)
    except (OSError, ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise ValueError(
            f"cannot read the signing authority in {files.certificate} and {files.key}: {reason_of(error)}"
        ) from None
    if len(found) != 1:
        raise ValueError(
            f'error reading CA cert file "{files.certificate}": expected 1 certificate, found {len(found)}'
        )
    if not isinstance(key, ec.EllipticCurvePrivateKey | RSAPrivateKey | Ed25519PrivateKey):
        raise ValueError(f"{files.key} has no elliptic curve, RSA or Ed25519 key")
    if key.public_key() != found[0].public_key():
        raise ValueError(f"the private key in {files.key} is not that of the certificate in {files.certificate}")
    return CertificateAuthority(found[0], key)


class AuthorityFiles:
    """The certificate authority in two PEM files, which are read again when they have changed."""

    def __init__(self, files: SigningFiles) -> None:
        """Read the authority. Raises ValueError, as `read_authority` does."""
        self._files = files
        self._changing = ChangingFiles(files)
        self._current = read_authority(files)

    async def current(self, _: datetime) -> CertificateAuthority:
        """Return the authority. If its files have changed and cannot be read, return the earlier one and log why."""
        if self._changing.have_changed():
            try:
                self._current = read_authority(self._files)
            except ValueError as error:
                _LOGGER.warning("%s", error)
        return self._current
