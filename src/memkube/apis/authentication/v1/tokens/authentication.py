"""Authentication of service account tokens.

Sources: ``pkg/serviceaccount/jwt.go``, ``claims.go`` and the bearer token authenticator of apiserver.
"""

from base64 import urlsafe_b64decode
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final, TypeAlias

import orjson

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from memkube.apimachinery.shown_values import quoted
from memkube.apis.authentication.v1.tokens.errors import BadSignatureError, NoTokenError
from memkube.apis.authentication.v1.tokens.legacy import LEGACY_ISSUER, legacy_user
from memkube.registry.declarations.authentication import Authenticated, RejectedTokenError, with_group_of_authenticated
from memkube.registry.declarations.interface import Stores
from memkube.registry.declarations.request_options import (
    NOBODY,
    SERVICE_ACCOUNTS,
    User,
)

_LEEWAY: Final = timedelta(minutes=1)
"""Tolerated clock skew when a token's times are checked.

A token also stays valid for this time after an object to which it is bound is deleted.
"""
_INVALIDATED: Final = "service account token has been invalidated"
_NOT_A_DATE: Final = "go-jose/go-jose/jwt: expected number value to unmarshal NumericDate"
_EXTRA: Final = "authentication.kubernetes.io"
_NOT_A_TOKEN: Final = "invalid bearer token"  # noqa: S105  an error message, not a password
_LEGACY: Final = "authentication.k8s.io/legacy-token"
"""Key of the audit annotation with the subject of a token without audiences."""
_COMPACT_PARTS: Final = 3

_Ask: TypeAlias = Callable[[str, Sequence[str]], Awaitable[Authenticated | None]]
"""Function that returns the user of a token for the given audiences, or None if the token is of another type. Raises
RejectedTokenError if the token is invalid.
"""


async def authenticate(stores: Stores, token: str, audiences: Sequence[str]) -> Authenticated:
    """Authenticate a bearer token for the given audiences. Raises RejectedTokenError if the token is invalid.

    As in kube-apiserver, the token ends at its first blank. An empty token authenticates as the anonymous user if the
    server accepts requests without credentials; otherwise it is rejected without a reason.
    """
    sent = f"Bearer {token}".strip().split(" ")
    bearer = sent[1] if len(sent) > 1 else ""
    services = stores.kind_services
    if not bearer:
        if not services.accepts_anonymous:
            raise RejectedTokenError("")
        return Authenticated(NOBODY, tuple(audiences))
    known = services.static_tokens.get(bearer)
    if known is not None:
        served = services.token_issuer.options.audiences
        named = tuple(audience for audience in audiences if audience in served)
        if not named:
            raise RejectedTokenError(_NOT_A_TOKEN)
        return Authenticated(known, named)
    errors: list[str] = []
    asked: list[_Ask] = [partial(_account_of, stores), partial(_other_user, stores, errors)]
    if services.token_webhook is not None:
        asked.append(services.token_webhook.authenticate)
    for ask in asked:
        try:
            found = await ask(bearer, audiences)
        except RejectedTokenError as error:
            errors.append(str(error))
        else:
            if found is not None:
                return replace(found, user=with_group_of_authenticated(found.user))
    # kube-apiserver asks the authenticator of its own loopback requests first, so the message begins with its error.
    raise RejectedTokenError(f"[{', '.join((_NOT_A_TOKEN, *errors))}]" if errors else _NOT_A_TOKEN)


async def _other_user(stores: Stores, errors: list[str], token: str, audiences: Sequence[str]) -> Authenticated | None:
    """Return the user of an OpenID Connect token or of a bootstrap token; None for tokens of other types.

    OpenID Connect tokens and bootstrap tokens are valid only for the audiences of the API server. So the result is also
    None if `audiences` has none of these audiences. If the token is invalid, the reasons are added to `errors`.
    """
    services = stores.kind_services
    served = services.token_issuer.options.audiences
    named = tuple(audience for audience in audiences if audience in served)
    for find in services.other_tokens if named else ():
        try:
            user = await find(token)
        except RejectedTokenError as error:
            errors.append(str(error))
            continue
        if user is not None:
            return Authenticated(user, named)
    return None


async def _account_of(stores: Stores, token: str, wanted: Sequence[str]) -> Authenticated | None:
    """Return the service account of a token; None if the text is not a signed token or has another issuer.

    The token must be valid for one of the audiences `wanted`. Raises RejectedTokenError if the token is invalid.
    """
    issuer = stores.kind_services.token_issuer
    claimed = _claimed_issuer(token)
    if claimed != LEGACY_ISSUER and claimed not in issuer.options.issuers:
        return None
    keys = await issuer.keys()
    try:
        claims = orjson.loads(keys.verified(token))
    except NoTokenError:
        return None
    except BadSignatureError as error:
        raise RejectedTokenError(str(error)) from None
    named = claims.get("aud") or list(issuer.options.audiences)
    named = [named] if isinstance(named, str) else named
    audiences = tuple(audience for audience in wanted if audience in named)
    if not audiences:
        where = f"token audiences {_go_strings(named)}"
        raise RejectedTokenError(f"{where} is invalid for the target audiences {_go_strings(wanted)}")
    annotations = {} if claims.get("aud") else {_LEGACY: claims.get("sub", "")}
    if claimed == LEGACY_ISSUER:
        found = await legacy_user(stores, token, claims)
        return Authenticated(found.user, audiences, found.warnings, annotations | found.annotations)
    user = await _validated(stores, claims)
    return Authenticated(user, audiences, annotations=annotations | _staleness(claims, stores.clock.now()))


def _staleness(claims: Document, now: datetime) -> dict[str, str]:
    """Return the audit annotation of a token whose pod should have read a new token from its volume before `now`."""
    warn_after = (claims.get("kubernetes.io") or {}).get("warnafter")
    if not warn_after or now.timestamp() <= warn_after:
        return {}
    seconds = int(now.timestamp()) - int(warn_after)
    text = f"subject: {claims.get('sub', '')}, seconds after warning threshold: {seconds}"
    return {"authentication.k8s.io/stale-token": text}


def _claimed_issuer(token: str) -> Any:
    """Return the issuer claim of a token whose signature is not verified yet; None if the token has no issuer."""
    parts = token.split(".")
    if len(parts) != _COMPACT_PARTS or token.strip().startswith("{") or "=" in parts[1]:
        return None
    try:
        claims = orjson.loads(urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except ValueError:
        return None
    return claims.get("iss") if isinstance(claims, dict) else None


async def _validated(stores: Stores, claims: dict[str, Any]) -> User:
    """Return the user of a service account token. `claims` are its claims, after its signature was verified.

    Raises RejectedTokenError if the claims are not valid now.
    """
    now = stores.clock.now()
    _check_times(claims, now)
    private = claims.get("kubernetes.io") or {}
    namespace, account = private.get("namespace", ""), private.get("serviceaccount") or {}
    objects = _BoundObjects(stores, namespace, now - _LEEWAY)
    await objects.check_account(account)
    pod, node = private.get("pod"), private.get("node")
    for kind, plural in (("secret", "secrets"), ("pod", "pods")):
        if private.get(kind) is not None:
            await objects.check(kind, plural, private[kind])
    if node is not None and pod is None:
        await objects.check("node", "nodes", node)
    extra = {
        "pod-name": (pod or {}).get("name") if (pod or {}).get("uid") else None,
        "pod-uid": (pod or {}).get("uid") if (pod or {}).get("name") else None,
        "credential-id": f"JTI={claims['jti']}" if claims.get("jti") else None,
        "node-name": (node or {}).get("name"),
        "node-uid": (node or {}).get("uid") if (node or {}).get("name") else None,
    }
    return User(
        name=f"system:serviceaccount:{namespace}:{account.get('name', '')}",
        uid=account.get("uid", ""),
        groups=(SERVICE_ACCOUNTS, f"{SERVICE_ACCOUNTS}:{namespace}"),
        extra={f"{_EXTRA}/{key}": (value,) for key, value in sorted(extra.items()) if value},
    )


def _check_times(claims: dict[str, Any], now: datetime) -> None:
    """Raise RejectedTokenError if a token is expired or not valid yet (go-jose's ``jwt/validation.go``)."""
    starts, ends, issued = (_instant(claims.get(name)) for name in ("nbf", "exp", "iat"))
    if starts is not None and now + _LEEWAY < starts:
        raise RejectedTokenError("service account token is not valid yet")
    if ends is not None and now - _LEEWAY > ends:
        raise RejectedTokenError("service account token has expired")
    if issued is not None and now + _LEEWAY < issued:
        raise RejectedTokenError("service account token is issued in the future")


def _instant(seconds: Any) -> datetime | None:
    if seconds is None:
        return None
    if not isinstance(seconds, int | float):
        raise RejectedTokenError(_NOT_A_DATE)
    return datetime.fromtimestamp(0, UTC) + timedelta(seconds=int(seconds))


class _BoundObjects:
    """Checks that the objects to which a token is bound still exist.

    A terminating object counts as deleted if its deletionTimestamp is before the time `horizon`, which is a little
    earlier than now. `namespace` is the namespace of the service account.
    """

    def __init__(self, stores: Stores, namespace: str, horizon: datetime) -> None:
        self._stores = stores
        self._namespace = namespace
        self._horizon = horizon

    async def check_account(self, claim: Document) -> None:
        """Raise RejectedTokenError unless the token's service account exists with the UID in the token.

        `claim` is the token's claim about the account: its name and UID.
        """
        name, uid = claim.get("name", ""), claim.get("uid", "")
        try:
            metadata = await self._metadata("serviceaccounts", name)
        except ApiError as error:
            raise RejectedTokenError(error.message) from None
        if metadata["uid"] != uid:
            raise RejectedTokenError(f"service account UID ({metadata['uid']}) does not match claim ({uid})")
        if self._is_deleted(metadata):
            raise RejectedTokenError(f"service account {self._namespace}/{name} has been deleted")

    async def check(self, kind: str, plural: str, claim: Document) -> None:
        """Raise RejectedTokenError unless an object to which the token is bound exists with the UID in the token.

        `claim` is the token's claim about the object: its name and UID. `kind` is the claim's key, such as ``pod``,
        and `plural` the resource of the object, such as ``pods``.
        """
        try:
            metadata = await self._metadata(plural, claim.get("name", ""))
        except ApiError:
            raise RejectedTokenError(_INVALIDATED) from None
        found, claimed = metadata["uid"], claim.get("uid", "")
        if found != claimed:
            why = f"does not match service account {kind} ref claim ({claimed})"
            raise RejectedTokenError(f"{kind} UID ({found}) {why}")
        if self._is_deleted(metadata):
            raise RejectedTokenError(_INVALIDATED)

    async def _metadata(self, plural: str, name: str) -> Document:
        namespace = "" if plural == "nodes" else self._namespace
        metadata: Document = (await self._stores.find("", "v1", plural).get(namespace, name)).document["metadata"]
        return metadata

    def _is_deleted(self, metadata: Document) -> bool:
        deleted = metadata.get("deletionTimestamp")
        return deleted is not None and datetime.fromisoformat(deleted) < self._horizon


def _go_strings(values: Sequence[str]) -> str:
    """Format a list of strings as Go's ``%q`` does."""
    return f"[{' '.join(map(quoted, values))}]"
