"""Errors of tokens that cannot be verified."""


class NoTokenError(ValueError):
    """The text is not a signed token; it may be another kind of credential."""


class BadSignatureError(ValueError):
    """No key verifies the token's signature; the message is kube-apiserver's."""
