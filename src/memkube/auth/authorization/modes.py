"""The modes of authorization that a server can be started with (``kube-apiserver --authorization-mode``)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from memkube.apimachinery.shown_values import quoted
from memkube.auth.authorization.webhook.options import ConfiguredAuthorizers, WebhookOptions
from memkube.errors import UsageError

ALWAYS_ALLOW: Final = "AlwaysAllow"
ALWAYS_DENY: Final = "AlwaysDeny"
NODE: Final = "Node"
RBAC: Final = "RBAC"
WEBHOOK: Final = "Webhook"
_SERVED: Final = (ALWAYS_ALLOW, ALWAYS_DENY, NODE, RBAC, WEBHOOK)
_NOT_SERVED: Final = ("ABAC",)


def selected_modes(text: str, *, has_webhook: bool = False) -> tuple[str, ...]:
    """Return the modes in a comma-separated list.

    `has_webhook` is True if there is a kubeconfig for the mode ``Webhook``. Raises UsageError if the list is empty, or
    if a mode is unknown, repeated or not served. Also raises it if the mode Webhook has no kubeconfig, or if there is a
    kubeconfig but not this mode.
    """
    modes = tuple(mode.strip() for mode in text.split(",") if mode.strip())
    if not modes:
        raise UsageError("at least one authorization-mode must be passed")
    for mode in modes:
        if mode in _NOT_SERVED:
            raise UsageError(f"memkube does not support authorization-mode {mode}: use {', '.join(_SERVED)}")
        if mode not in _SERVED:
            raise UsageError(f'authorization-mode "{mode}" is not a valid mode')
    if WEBHOOK in modes and not has_webhook:
        raise UsageError("authorization-mode Webhook's authorization config file not passed")
    if has_webhook and WEBHOOK not in modes:
        raise UsageError("cannot specify --authorization-webhook-config-file without mode Webhook")
    if len(set(modes)) < len(modes):
        shown = " ".join(map(quoted, modes))
        raise UsageError(f"authorization-mode [{shown}] has mode specified more than once")
    return modes


def selected_authorizers(modes: str, webhook: WebhookOptions | None, file: Path | None = None) -> ConfiguredAuthorizers:
    """Return the configured authorizers: those in an AuthorizationConfiguration file or, without a file, in `modes`.

    `modes` is a comma-separated list. `webhook` has the options of the mode ``Webhook``; None if there is no kubeconfig
    for it. Raises UsageError for invalid modes, and ValueError for an invalid file.
    """
    if file is None:
        chosen = selected_modes(modes, has_webhook=webhook is not None)
        return ConfiguredAuthorizers(chosen, () if webhook is None else (webhook,))
    # The module that reads the configuration file is imported only if there is a file, as few servers have one.
    from memkube.auth.authorization.configuration import read_authorization_configuration  # noqa: PLC0415

    return read_authorization_configuration(file)


def authorizes(modes: Sequence[str]) -> bool:
    """True unless AlwaysAllow is the only mode, with which no request is refused."""
    return tuple(modes) != (ALWAYS_ALLOW,)
