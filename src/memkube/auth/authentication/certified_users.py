"""Authenticates requests on connections with a client certificate.

An authenticating proxy names the user in headers; for any other client, the certificate names the user.
"""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final

from cryptography import x509

from memkube.auth.authentication.certificate_authorities import CertificateAuthorities
from memkube.auth.authentication.client_certificates import ClientCertificates, common_name, named_user
from memkube.auth.authentication.request_headers import Header, RequestHeaderOptions, UserHeaders
from memkube.registry.declarations.authentication import RejectedCertificateError
from memkube.registry.declarations.request_options import User

_OVERLAP: Final = (
    "--requestheader-client-ca-file and --client-ca-file contain overlapping certificates; "
    "--requestheader-allowed-names must be specified to ensure regular client certificates cannot set "
    "authenticating proxy headers for arbitrary users"
)


class CertifiedUsers:
    """Finds the users of requests on connections whose clients have certificates.

    As in kube-apiserver, the headers of an authenticating proxy take precedence over the name in a certificate.
    """

    def __init__(
        self,
        client_ca_file: Path | None,
        proxies: RequestHeaderOptions | None,
        user_headers: UserHeaders,
        now: Callable[[], datetime],
    ) -> None:
        """Read the certificate authorities of clients (`client_ca_file`) and of authenticating proxies (`proxies`).

        If `client_ca_file` is None, no certificates of clients are accepted; if `proxies` is None, no certificates of
        proxies. `user_headers` reads the users that proxies name, and `now` returns the time of the server's clock.

        Raises ValueError with a one-line message if a file cannot be read. It also raises ValueError if an authority is
        in both files and proxies may have any common name, because every client of that authority would then count as a
        proxy.
        """
        self._user_headers = user_headers
        self._proxies: ClientCertificates[str] | None = None
        self._clients: ClientCertificates[User | None] | None = None
        authorities = None if client_ca_file is None else CertificateAuthorities(client_ca_file)
        if authorities is not None:
            self._clients = ClientCertificates(authorities, now, named_user)
        if proxies is not None:
            trusted = CertificateAuthorities(proxies.client_ca_file)
            if (
                authorities
                and not proxies.allowed_names
                and not set(trusted.current()).isdisjoint(authorities.current())
            ):
                raise ValueError(_OVERLAP)
            self._proxies = ClientCertificates(trusted, now, partial(_allowed, proxies.allowed_names))

    def user_of(self, chain: tuple[bytes, ...], headers: Sequence[Header]) -> User | None:
        """Return the user of a request on a connection whose client has sent this chain of certificates, in DER.

        If the certificate is that of an authenticating proxy, the user is the one that the headers name; otherwise, the
        one that the certificate names. If neither names a user, raises RejectedCertificateError if the certificate is
        not valid for a proxy or for a client, and returns None otherwise.
        """
        problems = []
        if self._proxies is not None:
            try:
                self._proxies.verified(chain)
                user = self._user_headers.user_of(headers)
                if user is not None:
                    return user
            except RejectedCertificateError as error:
                problems.append(str(error))
        if self._clients is not None:
            try:
                user = self._clients.verified(chain)
                if user is not None:
                    return user
            except RejectedCertificateError as error:
                problems.append(str(error))
        if problems:
            raise RejectedCertificateError(", ".join(dict.fromkeys(problems)))
        return None


def _allowed(names: Collection[str], certificate: x509.Certificate) -> str:
    """Return the common name of an authenticating proxy's certificate.

    If `names` is not empty, raises RejectedCertificateError for a common name that it does not contain.
    """
    name = common_name(certificate)
    if names and name not in names:
        raise RejectedCertificateError(f"subject with cn={name!r} is not in the allowed list")
    return name
