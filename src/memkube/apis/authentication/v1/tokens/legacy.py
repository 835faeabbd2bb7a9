"""Service account tokens in Secrets, which do not expire (``pkg/serviceaccount/legacy.go``)."""

from contextlib import suppress
from datetime import timedelta
from hmac import compare_digest
from typing import Any, Final

from memkube.apimachinery.base64 import decode_base64
from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import Document
from memkube.registry.declarations.authentication import RejectedTokenError
from memkube.registry.declarations.interface import Stores
from memkube.registry.declarations.request_options import SERVICE_ACCOUNTS, User, WriteContext
from memkube.registry.objects.stored import StoredObject

LEGACY_ISSUER: Final = "kubernetes/serviceaccount"
TOKEN_SECRET: Final = "kubernetes.io/service-account-token"  # noqa: S105  a type of Secrets, not a password
LAST_USED: Final = "kubernetes.io/legacy-token-last-used"
INVALID_SINCE: Final = "kubernetes.io/legacy-token-invalid-since"
TRACKING: Final = ("kube-system", "kube-apiserver-legacy-service-account-token-tracking")
"""Namespace and name of the ConfigMap with the date since which the API server records uses of Secrets' tokens."""
_SECRETS: Final = ("", "v1", "secrets")
_PREFIX: Final = "kubernetes.io/serviceaccount"
_NAMESPACE: Final = f"{_PREFIX}/namespace"
_SECRET: Final = f"{_PREFIX}/secret.name"
_ACCOUNT: Final = f"{_PREFIX}/service-account.name"
_UID: Final = f"{_PREFIX}/service-account.uid"
_REQUIRED: Final = (
    ("sub", "sub claim is missing"),
    (_NAMESPACE, "namespace claim is missing"),
    (_SECRET, "secretName claim is missing"),
    (_ACCOUNT, "serviceAccountName claim is missing"),
    (_UID, "serviceAccountUID claim is missing"),
)
_INVALIDATED: Final = "Token has been invalidated"
_AUTOMATIC: Final = (
    "Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated "
    "secret-based tokens."
)
_ADVICE: Final = (
    "Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the "
    f"'{INVALID_SINCE}' label from the secret to temporarily allow use of this token"
)
_MANAGER: Final = "kube-apiserver"


def legacy_claims(account: StoredObject, secret: StoredObject) -> dict[str, Any]:
    """Return the claims of the token that a Secret of type service-account-token contains for its service account."""
    return {
        "iss": LEGACY_ISSUER,
        "sub": _subject(account.namespace, account.name),
        _NAMESPACE: account.namespace,
        _SECRET: secret.name,
        _ACCOUNT: account.name,
        _UID: account.uid,
    }


def refers_to(account: Document, secret: str) -> bool:
    """True if the field ``secrets`` of a ServiceAccount names the Secret."""
    return any(reference.get("name") == secret for reference in account.get("secrets") or ())


async def legacy_user(stores: Stores, token: str, claims: dict[str, Any], warnings: list[str]) -> User:
    """Return the user of a token from a Secret, and record the use of the token in a label of the Secret.

    `claims` are the claims of the verified token. If the ServiceAccount lists the Secret, Kubernetes is assumed to have
    created the Secret automatically, and a warning about this is added to `warnings`. Raises RejectedTokenError if the
    Secret or the account does not match the claims.
    """
    for name, problem in _REQUIRED:
        if not claims.get(name):
            raise RejectedTokenError(problem)
    namespace, account_name, uid = claims[_NAMESPACE], claims[_ACCOUNT], claims[_UID]
    if claims["sub"] != _subject(namespace, account_name):
        raise RejectedTokenError("sub claim is invalid")
    secret = await _secret(stores, namespace, claims[_SECRET], token)
    account = await _account(stores, namespace, account_name, uid)
    if secret.labels.get(INVALID_SINCE):
        await _note_use(stores, secret)
        where = f"the token in secret {namespace}/{secret.name} for service account {namespace}/{account_name}"
        raise RejectedTokenError(f"{where} has been marked invalid. {_ADVICE}")
    if refers_to(account, secret.name):
        warnings.append(_AUTOMATIC)
    await _note_use(stores, secret)
    groups = (SERVICE_ACCOUNTS, f"{SERVICE_ACCOUNTS}:{namespace}")
    return User(name=_subject(namespace, account_name), uid=uid, groups=groups)


async def _secret(stores: Stores, namespace: str, name: str, token: str) -> StoredObject:
    try:
        secret = await stores.find(*_SECRETS).get(namespace, name)
    except ApiError:
        raise RejectedTokenError(_INVALIDATED) from None
    if "deletionTimestamp" in secret.document["metadata"]:
        raise RejectedTokenError(_INVALIDATED)
    known = decode_base64((secret.document.get("data") or {}).get("token", ""))
    if not compare_digest(known, token.encode()):
        raise RejectedTokenError("Token does not match server's copy")
    return secret


async def _account(stores: Stores, namespace: str, name: str, uid: str) -> Document:
    try:
        account: Document = (await stores.find("", "v1", "serviceaccounts").get(namespace, name)).document
    except ApiError as error:
        raise RejectedTokenError(error.message) from None
    metadata = account["metadata"]
    if "deletionTimestamp" in metadata:
        raise RejectedTokenError(f"ServiceAccount {namespace}/{name} has been deleted")
    if metadata["uid"] != uid:
        raise RejectedTokenError(f"ServiceAccount UID ({metadata['uid']}) does not match claim ({uid})")
    return account


async def _note_use(stores: Stores, secret: StoredObject) -> None:
    """Label a token's Secret with today's date as the date of the last use.

    The label is written once a day. If the write is refused, the error is ignored, as in kube-apiserver.
    """
    now = stores.clock.now()
    today, tomorrow = now.date().isoformat(), (now + timedelta(days=1)).date().isoformat()
    if secret.labels.get(LAST_USED) in (today, tomorrow):
        return

    def change(obj: ApiObject) -> None:
        obj.metadata.labels = {**obj.metadata.labels, LAST_USED: today}

    context = WriteContext(namespace=secret.namespace, manager=_MANAGER)
    with suppress(ApiError):
        await stores.find(*_SECRETS).update(secret.name, change, context, uid=secret.uid)


def _subject(namespace: str, account: str) -> str:
    return f"system:serviceaccount:{namespace}:{account}"
