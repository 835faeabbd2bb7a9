"""The modes of authorization that a server can be started with (``kube-apiserver --authorization-mode``)."""

from collections.abc import Sequence
from typing import Final

from memkube.errors import UsageError

ALWAYS_ALLOW: Final = "AlwaysAllow"
ALWAYS_DENY: Final = "AlwaysDeny"
NODE: Final = "Node"
RBAC: Final = "RBAC"
_SERVED: Final = (ALWAYS_ALLOW, ALWAYS_DENY, NODE, RBAC)
_NOT_SERVED: Final = ("ABAC", "Webhook")


def selected_modes(text: str) -> tuple[str, ...]:
    """Return the modes of a comma-separated list.

    Raises UsageError for a mode that is unknown, repeated or not served, and for an empty list.
    """
    modes = tuple(mode.strip() for mode in text.split(",") if mode.strip())
    if not modes:
        raise UsageError("at least one authorization-mode must be passed")
    for mode in modes:
        if mode in _NOT_SERVED:
            raise UsageError(f"authorization-mode {mode} is not served: use {', '.join(_SERVED)}")
        if mode not in _SERVED:
            raise UsageError(f'authorization-mode "{mode}" is not a valid mode')
        if modes.count(mode) > 1:
            raise UsageError(f'authorization-mode "{mode}" has mode specified more than once')
    return modes


def authorizes(modes: Sequence[str]) -> bool:
    """Return True if the modes may refuse a request: any list but AlwaysAllow alone."""
    return tuple(modes) != (ALWAYS_ALLOW,)
