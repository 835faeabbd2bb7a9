"""Errors of bearer tokens that are not signed tokens, or whose signature no key verifies."""


class NoTokenError(ValueError):
    """Raised if a credential is not a signed token, so that it may be a credential of another type."""


class BadSignatureError(ValueError):
    """Raised if no key verifies the signature of a token. The message equals kube-apiserver's."""
