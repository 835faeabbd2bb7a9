"""CertificateSigningRequests: certificates that are asked for."""
