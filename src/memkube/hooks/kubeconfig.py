"""Kubeconfigs with the address and credentials of a webhook (apiserver ``pkg/util/webhook``: LoadKubeconfig)."""

from base64 import b64decode, b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from memkube.errors import reason_of
from memkube.hooks.configuration import ClientConfig, ConfigurationRefused

_NOT_READ: Final = {
    "cluster": ("proxy-url", "tls-server-name"),
    "user": ("as", "as-groups", "as-uid", "as-user-extra", "auth-provider", "exec"),
}
"""Fields of clusters and users in kubeconfigs that memkube does not support."""


class WebhookConnection(NamedTuple):
    """The address of a webhook, and the credentials that the server sends to it."""

    config: ClientConfig
    headers: tuple[tuple[str, str], ...] = ()


def read_webhook_kubeconfig(path: Path) -> WebhookConnection:
    """Return the address and credentials of a webhook in the current context of a kubeconfig.

    Raises ValueError with a one-line message if the file cannot be read or has fields that memkube does not support.
    """
    try:
        return _connection(path)
    except (OSError, KeyError, TypeError, ValueError, ConfigurationRefused) as error:
        why = f"there is no field {error}" if isinstance(error, KeyError) else reason_of(error)
        raise ValueError(f"cannot read the kubeconfig {path} of a webhook: {why}") from None


def _connection(path: Path) -> WebhookConnection:
    # Imported here, because importing YAML takes time and few servers have such a webhook.
    import yaml  # noqa: PLC0415

    try:
        document = yaml.load(path.read_bytes(), yaml.CSafeLoader)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None
    if not isinstance(document, dict):
        raise ValueError("the file is not a kubeconfig")
    context = _entry(document, "context", document.get("current-context") or "")
    cluster = _entry(document, "cluster", context["cluster"])
    user = _entry(document, "user", context["user"]) if context.get("user") else {}
    config = ClientConfig(
        url=cluster["server"],
        ca_bundle=_content(cluster, "certificate-authority", path),
        insecure=bool(cluster.get("insecure-skip-tls-verify")),
        certificate=_content(user, "client-certificate", path),
        key=_content(user, "client-key", path),
    )
    if config.ca_bundle:
        config.trusted()
    return WebhookConnection(config, _credentials(user, path))


def _entry(document: Mapping[str, Any], kind: str, name: str) -> dict[str, Any]:
    entries = {entry["name"]: entry.get(kind) or {} for entry in document.get(f"{kind}s") or ()}
    if name not in entries:
        raise ValueError(f"there is no {kind} {name!r}")
    found: dict[str, Any] = entries[name]
    if not isinstance(found, dict):
        raise ValueError(f"the {kind} {name!r} is not an object")
    for field in _NOT_READ.get(kind, ()):
        if found.get(field):
            raise ValueError(f"memkube does not support the field {field}")
    return found


def _content(entry: Mapping[str, Any], field: str, path: Path) -> bytes:
    """Return the data of a field of `entry`, a cluster or user in the kubeconfig `path`; empty if it is missing.

    The kubeconfig contains the data itself, or the name of a file, relative to the kubeconfig's directory.
    """
    if data := entry.get(f"{field}-data"):
        return b64decode(data)
    return (path.parent / entry[field]).read_bytes() if entry.get(field) else b""


def _credentials(user: Mapping[str, Any], path: Path) -> tuple[tuple[str, str], ...]:
    token = user.get("token") or ""
    if user.get("tokenFile"):
        token = (path.parent / user["tokenFile"]).read_text().strip()
    if token:
        return (("Authorization", f"Bearer {token}"),)
    if user.get("username"):
        pair = f"{user['username']}:{user.get('password') or ''}"
        return (("Authorization", f"Basic {b64encode(pair.encode()).decode()}"),)
    return ()
