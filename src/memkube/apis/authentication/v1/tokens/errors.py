"""Errors of tokens that cannot be verified."""


class NoTokenError(ValueError):
    """The credential is not a signed token; it may be of another type."""


class BadSignatureError(ValueError):
    """No key verifies the token's signature; the message equals kube-apiserver's."""
