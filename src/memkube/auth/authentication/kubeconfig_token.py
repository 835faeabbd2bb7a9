"""Tokens of kubeconfigs for plain HTTP, which clients send as a part of an impersonation.

client-go, and so kubectl, sends the token of a kubeconfig over TLS only, but it always sends impersonation headers. So
a kubeconfig for plain HTTP impersonates a user that does not exist, with the token as an extra value, and the server
reads that extra value as a bearer token. ``kubectl --as`` replaces the user and keeps the token.
"""

from collections.abc import Sequence
from typing import Any, Final

_NAME: Final = "memkube.dev/token"
"""Name of the impersonated user, which does not exist, and key of the extra value that contains the token."""
_HEADER: Final = b"impersonate-extra-memkube.dev%2ftoken"
_USER: Final = (b"impersonate-user", _NAME.encode())
_AUTHORIZATION: Final = b"authorization"


def impersonation_with_token(token: str) -> dict[str, Any]:
    """Return the fields of a kubeconfig's user that make client-go send a token over plain HTTP."""
    return {"as": _NAME, "as-user-extra": {_NAME: [token]}}


def with_bearer_token(headers: Sequence[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Move a token from the extra values of an impersonation to the header Authorization.

    `headers` have names in lower case. If the request already has a header Authorization, that header is kept.
    """
    token = next((value for name, value in headers if name == _HEADER), b"")
    kept = [header for header in headers if header[0] != _HEADER and header != _USER]
    if token and all(name != _AUTHORIZATION for name, _ in kept):
        kept.append((_AUTHORIZATION, b"Bearer " + token))
    return kept
