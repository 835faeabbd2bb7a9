"""Approves, signs and deletes CertificateSigningRequests (``pkg/controller/certificates``).

The modules import ``cryptography``, which is slow, so nothing outside the package may import them at the start of a
server.
"""
