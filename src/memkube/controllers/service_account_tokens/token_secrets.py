"""Token Secrets: those of the type ``kubernetes.io/service-account-token``, which name a service account."""

from typing import Final, NamedTuple

from memkube.apis.authentication.v1.tokens.legacy import TOKEN_SECRET
from memkube.controllers.framework.informer import Informer
from memkube.registry.objects.stored import StoredObject

SECRETS: Final = ("", "v1", "secrets")
ACCOUNTS: Final = ("", "v1", "serviceaccounts")
ACCOUNT_NAME: Final = "kubernetes.io/service-account.name"
ACCOUNT_UID: Final = "kubernetes.io/service-account.uid"


class AccountKey(NamedTuple):
    """Namespace, name and uid of a service account.

    If the uid is empty, every service account of this name is meant.
    """

    namespace: str
    name: str
    uid: str

    def matches(self, uid: str) -> bool:
        """True if this key names the service account whose uid is `uid`. A key without uid matches any uid."""
        return not self.uid or self.uid == uid


class SecretKey(NamedTuple):
    """Namespace and name of a token Secret, and the service account in its annotations."""

    namespace: str
    name: str
    uid: str
    account: AccountKey


def is_token(secret: StoredObject) -> bool:
    """True if the Secret has the type ``kubernetes.io/service-account-token``."""
    return secret.document.get("type") == TOKEN_SECRET


def key_of(secret: StoredObject) -> SecretKey:
    """Return namespace and name of a token Secret, with the service account in its annotations."""
    annotations = secret.document["metadata"].get("annotations") or {}
    account = AccountKey(secret.namespace, annotations.get(ACCOUNT_NAME, ""), annotations.get(ACCOUNT_UID, ""))
    return SecretKey(secret.namespace, secret.name, secret.uid, account)


class TokenSecrets:
    """Index of token Secrets by their service account.

    Create the index before its users subscribe to the informer, so that it is updated before the users are called.
    """

    def __init__(self, secrets: Informer) -> None:
        self._by_account: dict[tuple[str, str], dict[str, StoredObject]] = {}
        secrets.subscribe(self._on_secret)

    def of(self, account: AccountKey) -> list[StoredObject]:
        """Return the token Secrets of a service account. Secrets that name another uid are left out."""
        found = self._by_account.get((account.namespace, account.name), {}).values()
        return [secret for secret in found if key_of(secret).account.matches(account.uid)]

    def all(self) -> list[StoredObject]:
        return [secret for secrets in self._by_account.values() for secret in secrets.values()]

    def _on_secret(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if old is not None and is_token(old):
            account = _account_of(old)
            secrets = self._by_account.get(account, {})
            secrets.pop(old.name, None)
            if not secrets:
                self._by_account.pop(account, None)
        if new is not None and is_token(new):
            self._by_account.setdefault(_account_of(new), {})[new.name] = new


def _account_of(secret: StoredObject) -> tuple[str, str]:
    account = key_of(secret).account
    return account.namespace, account.name
