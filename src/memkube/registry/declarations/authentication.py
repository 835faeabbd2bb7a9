"""The result of the authentication of a bearer token."""

from dataclasses import dataclass

from memkube.registry.declarations.request_options import User


class RejectedTokenError(Exception):
    """A token is rejected; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class Authenticated:
    """User of a valid token, and the requested audiences for which the token is valid."""

    user: User
    audiences: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    """Warnings about the token for the client."""
