"""Bootstrap tokens, with which machines join a cluster (``plugin/pkg/auth/authenticator/token/bootstrap``)."""

import re
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Callable
from datetime import datetime
from hmac import compare_digest
from typing import Final

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from memkube.apimachinery.time import parse_go_time
from memkube.registry.declarations.request_options import User
from memkube.registry.registry import Registry

_TOKEN: Final = re.compile(r"([a-z0-9]{6})\.([a-z0-9]{16})")
_TYPE: Final = "bootstrap.kubernetes.io/token"
_NAMESPACE: Final = "kube-system"
_GROUP: Final = "system:bootstrappers"
_EXTRA_GROUP: Final = re.compile(r"system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]")
_LAYOUT: Final = "2006-01-02T15:04:05Z07:00"


class BootstrapTokens:
    """Finds the users of bootstrap tokens in the Secrets of the namespace kube-system."""

    def __init__(self, registry: Registry, now: Callable[[], datetime]) -> None:
        self._secrets = registry.find("", "v1", "secrets")
        self._now = now

    async def user_of(self, token: str) -> User | None:
        """Return the user ``system:bootstrap:ID`` of a bootstrap token; None if no valid Secret has the token."""
        found = _TOKEN.fullmatch(token)
        if found is None:
            return None
        identifier, secret = found.groups()
        try:
            stored = await self._secrets.get(_NAMESPACE, f"bootstrap-token-{identifier}")
        except ApiError:
            return None
        document = stored.document
        if document.get("type") != _TYPE or document["metadata"].get("deletionTimestamp"):
            return None
        data = {key: _text(value) for key, value in (document.get("data") or {}).items()}
        is_known = compare_digest(data.get("token-secret", ""), secret) and data.get("token-id") == identifier
        if not is_known or self._is_expired(data) or data.get("usage-bootstrap-authentication") != "true":
            return None
        groups = _groups(data)
        return None if groups is None else User(f"system:bootstrap:{identifier}", groups=groups)

    def _is_expired(self, data: Document) -> bool:
        expiration = data.get("expiration", "")
        if not expiration:
            return False
        try:
            return parse_go_time(expiration, _LAYOUT, micro=False) < self._now()
        except ValueError:
            return True


def _groups(data: Document) -> tuple[str, ...] | None:
    """Return the sorted groups of a bootstrap token's user.

    Returns None if the Secret names a group that bootstrap tokens must not have.
    """
    extra = data.get("auth-extra-groups", "")
    named = extra.split(",") if extra else []
    if not all(_EXTRA_GROUP.fullmatch(group) for group in named):
        return None
    return tuple(sorted({_GROUP, *named}))


def _text(value: str) -> str:
    try:
        return b64decode(value).decode()
    except (Base64Error, UnicodeDecodeError):
        return ""
