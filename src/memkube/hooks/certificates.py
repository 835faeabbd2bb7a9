"""Error messages for rejected server certificates, with the checks, order and wording of Go's ``crypto/x509``.

OpenSSL decides whether a certificate is trusted, but its own messages are worded differently from Go's, and its errors
do not contain the certificate. So this module fetches the certificate again and repeats the checks.
"""

import asyncio
import ssl
import tempfile
from datetime import UTC, datetime
from ipaddress import ip_address
from typing import Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature

from memkube.apimachinery.x509_objects import read_certificate
from memkube.hooks.configuration import ClientConfig, ConfigurationRefused

_PREFIX: Final = "tls: failed to verify certificate: x509: "
_UNKNOWN: Final = "certificate signed by unknown authority"
_MOST_NAMES: Final = 100
_WRONG_PURPOSE: Final = 26
"""Value of OpenSSL's constant ``X509_V_ERR_INVALID_PURPOSE``."""
_SIGNATURES: Final = {
    "RSAPublicKey": "crypto/rsa: verification error",
    "ECPublicKey": "x509: ECDSA verification failure",
}


def context_of(config: ClientConfig) -> ssl.SSLContext:
    """Return the TLS context for a client configuration.

    Raises ConfigurationRefused if its CA bundle has no certificate, or if the client's key does not belong to the
    client's certificate.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if config.certificate:
        _load_client_certificate(context, config)
    context.hostname_checks_common_name = False
    # As in Go, a chain may end at any certificate of the CA bundle, not only at a self-signed one.
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    if config.insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return context
    if not config.ca_bundle:
        context.load_default_certs()
        return context
    for der in config.trusted():
        try:
            context.load_verify_locations(cadata=der)
        except ssl.SSLError as error:
            why = f"unable to load root certificates: failed to parse certificate: {error}"
            raise ConfigurationRefused(why) from None
    return context


def _load_client_certificate(context: ssl.SSLContext, config: ClientConfig) -> None:
    # Python loads a client's certificate only from a file, so it is written to a temporary file.
    with tempfile.NamedTemporaryFile() as file:
        file.write(config.certificate + b"\n" + config.key)
        file.flush()
        try:
            context.load_cert_chain(file.name)
        except ssl.SSLError as error:
            raise ConfigurationRefused(f"unable to load the client's certificate: {error}") from None


async def served_certificate(host: str, port: int, hostname: str) -> x509.Certificate | None:
    """Fetch, without verifying it, the certificate that the server at `host` and `port` sends for `hostname`.

    Returns None if that fails.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        _, writer = await asyncio.open_connection(host, port, ssl=context, server_hostname=hostname)
    except OSError:
        return None
    try:
        der = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
        return read_certificate(der)
    except ValueError:
        return None
    finally:
        writer.transport.abort()


def why_not_trusted(
    certificate: x509.Certificate | None, hostname: str, config: ClientConfig, error: ssl.SSLCertVerificationError
) -> str:
    """Return Go's error message for a server's certificate that OpenSSL rejected with `error`.

    `hostname` is the name that the certificate should have, and `config` has the trusted certificates. `certificate` is
    None if it is not known.
    """
    if certificate is None:
        return f"{_PREFIX}{_UNKNOWN}"
    now = datetime.now(UTC).replace(microsecond=0)
    ended, begins = certificate.not_valid_after_utc, certificate.not_valid_before_utc
    expired = f"{_PREFIX}certificate has expired or is not yet valid: current time {_rfc3339(now)} is"
    if now < begins:
        return f"{expired} before {_rfc3339(begins)}"
    if now > ended:
        return f"{expired} after {_rfc3339(ended)}"
    if wrong := _wrong_name(certificate, hostname):
        return _PREFIX + wrong
    if error.verify_code == _WRONG_PURPOSE:
        return f"{_PREFIX}certificate specifies an incompatible key usage"
    return f"{_PREFIX}{_UNKNOWN}{_hint(certificate, config)}"


def _wrong_name(certificate: x509.Certificate, host: str) -> str | None:
    """Return the message of Go's ``HostnameError`` if the certificate is invalid for the host name, else None."""
    dns, addresses = _alternative_names(certificate)
    names, shown, sort = dns, host, "names"
    try:
        host = str(ip_address(host))
        names, sort = addresses, "IP SANs"
    except ValueError:
        host = host.lower().rstrip(".")
    if any(_matches(name.lower().rstrip("."), host) for name in names):
        return None
    common = certificate.subject.get_attributes_for_oid(x509.NameOID.COMMON_NAME)
    if not dns and not addresses and common and _matches(str(common[0].value).lower(), host):
        return "certificate relies on legacy Common Name field, use SANs instead"
    if not names and names is addresses:
        return f"cannot validate certificate for {shown} because it doesn't contain any IP SANs"
    if len(names) >= _MOST_NAMES:
        return f"certificate is valid for {len(names)} {sort}, but none matched {shown}"
    if not names:
        return f"certificate is not valid for any names, but wanted to match {shown}"
    return f"certificate is valid for {', '.join(names)}, not {shown}"


def _alternative_names(certificate: x509.Certificate) -> tuple[list[str], list[str]]:
    """Return the DNS names and the IP addresses in the certificate's subject alternative names."""
    try:
        extension = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    except (x509.ExtensionNotFound, ValueError):
        return [], []
    dns = extension.value.get_values_for_type(x509.DNSName)
    return dns, [str(address) for address in extension.value.get_values_for_type(x509.IPAddress)]


def _hint(certificate: x509.Certificate, config: ClientConfig) -> str:
    """Return Go's hint that a trusted CA certificate has the issuer's name, but did not sign `certificate`.

    `config` has the trusted CA certificates. Returns an empty text if there is no such CA certificate.
    """
    for der in config.trusted() if config.ca_bundle else ():
        candidate = read_certificate(der)
        if candidate.subject != certificate.issuer:
            continue
        try:
            certificate.verify_directly_issued_by(candidate)
        except (InvalidSignature, ValueError, TypeError):
            common = candidate.subject.get_attributes_for_oid(x509.NameOID.COMMON_NAME)
            name = str(common[0].value) if common else f"serial:{candidate.serial_number}"
            why = _SIGNATURES.get(
                type(candidate.public_key()).__name__.lstrip("_"), "x509: Ed25519 verification failure"
            )
            return f' (possibly because of "{why}" while trying to verify candidate authority certificate "{name}")'
    return ""


def _matches(pattern: str, name: str) -> bool:
    if pattern.startswith("*."):
        return name.partition(".")[2] == pattern[2:]
    return pattern == name


def _rfc3339(instant: datetime) -> str:
    return instant.strftime("%Y-%m-%dT%H:%M:%SZ")
