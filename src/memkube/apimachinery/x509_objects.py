"""Certificates and certificate requests in DER, with one type of error for all malformed ones."""

from cryptography import x509


def read_certificate(der: bytes) -> x509.Certificate:
    """Return a certificate in DER. Raises ValueError if it is malformed or has an unknown version of X.509."""
    try:
        return x509.load_der_x509_certificate(der)
    except x509.InvalidVersion as error:
        raise ValueError(str(error)) from None


def read_request(der: bytes) -> x509.CertificateSigningRequest:
    """Return a certificate request in DER.

    Raises ValueError if it is malformed, and for any other version than 1, although Go reads such requests.
    """
    try:
        return x509.load_der_x509_csr(der)
    except x509.InvalidVersion as error:
        raise ValueError(str(error)) from None
