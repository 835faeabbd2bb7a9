"""Secrets with bootstrap tokens (``k8s.io/cluster-bootstrap/util/secrets``)."""

import re
from datetime import datetime
from typing import Final

from memkube.apimachinery.base64 import decode_base64
from memkube.apimachinery.time import Time
from memkube.registry.objects.stored import StoredObject

SECRETS: Final = ("", "v1", "secrets")
TOKEN_NAMESPACE: Final = "kube-system"  # noqa: S105  a namespace, not a password
_TYPE: Final = "bootstrap.kubernetes.io/token"
_name: Final = re.compile(r"bootstrap-token-([a-z0-9]{6})", re.ASCII).fullmatch


def is_bootstrap_token(secret: StoredObject) -> bool:
    """True if the Secret has the namespace and type of bootstrap tokens."""
    return secret.namespace == TOKEN_NAMESPACE and secret.document.get("type") == _TYPE


def seconds_to_expiration(secret: StoredObject, now: datetime) -> float | None:
    """Return the seconds until a bootstrap token expires; None if it never expires.

    The result is 0 if the token has expired or its date is malformed.
    """
    written = _text(secret, "expiration")
    if not written:
        return None
    try:
        expires = Time.parse(written).instant
    except ValueError:
        return 0
    return max((expires - now).total_seconds(), 0)


def signing_token(secret: StoredObject, now: datetime) -> tuple[str, str] | None:
    """Return id and secret of a bootstrap token that may sign ``cluster-info`` (``validateSecretForSigning``).

    Returns None if the Secret is malformed, the token has expired, or its usages do not include signing.
    """
    named, token_id, token_secret = _name(secret.name), _text(secret, "token-id"), _text(secret, "token-secret")
    if named is None or named[1] != token_id or not token_secret:
        return None
    may_sign = _text(secret, "usage-bootstrap-signing") == "true" and seconds_to_expiration(secret, now) != 0
    return (token_id, token_secret) if may_sign else None


def _text(secret: StoredObject, key: str) -> str:
    data: dict[str, str] = secret.document.get("data") or {}
    return decode_base64(data.get(key, "")).decode("utf-8", "replace")
