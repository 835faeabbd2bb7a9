"""CertificateSigningRequests: requests for X.509 certificates."""
