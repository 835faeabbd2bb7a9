"""The flow of a request: an identifier of the client, so that all clients get fair shares."""

from typing import Final

from starlette.types import Scope

from memkube.registry.declarations.request_options import ANONYMOUS

_IMPERSONATED: Final = b"impersonate-user"
_USER_AGENT: Final = b"user-agent"


def flow_of(scope: Scope) -> object:
    """Return a hashable key that is equal for requests of one client.

    The key is the user's name; for anonymous clients it is their address and user agent. Before the filters have set
    ``scope["user"]``, the user is taken from the Impersonate-User header.
    """
    headers: dict[bytes, bytes] = dict(reversed(scope["headers"]))
    user = scope["user"].name if "user" in scope else headers.get(_IMPERSONATED, b"").decode("latin-1")
    if user and user != ANONYMOUS:
        return user
    client = scope.get("client")
    return client and client[0], headers.get(_USER_AGENT, b"")
