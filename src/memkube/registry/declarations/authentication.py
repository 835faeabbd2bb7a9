"""The user of a valid token, and the errors for tokens and client certificates that are rejected."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from memkube.registry.declarations.request_options import ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED, User


class RejectedTokenError(Exception):
    """Raised if a token is rejected; the message gives the reason."""


class RejectedCertificateError(Exception):
    """Raised if a certificate of a client is rejected; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class Authenticated:
    """User of a valid bearer token, and those of the requested audiences for which the token is valid."""

    user: User
    audiences: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    """Warnings about the token, which are sent to the client."""
    annotations: Mapping[str, str] = field(default_factory=dict)
    """Annotations of the audit event of the request that sends the token."""


def with_group_of_authenticated(user: User) -> User:
    """Return the user with the group ``system:authenticated`` added (apiserver ``AuthenticatedGroupAdder``).

    The anonymous user is returned unchanged.
    """
    if user.name == ANONYMOUS or AUTHENTICATED in user.groups or UNAUTHENTICATED in user.groups:
        return user
    return replace(user, groups=(*user.groups, AUTHENTICATED))
