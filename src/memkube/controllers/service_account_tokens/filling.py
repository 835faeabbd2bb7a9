"""``serviceaccount-token-controller``: writes tokens into token Secrets (``tokens_controller.go``)."""

from typing import Final

from memkube.apimachinery.base64 import encode_base64
from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions, Preconditions
from memkube.apis.authentication.v1.tokens.legacy import legacy_claims, refers_to
from memkube.apis.core.v1.namespaces.default_objects import CERTIFICATE_KEY
from memkube.apis.core.v1.secrets.types import Secret
from memkube.apis.core.v1.serviceaccounts.types import ServiceAccount
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.work_queue import Retries
from memkube.controllers.service_account_tokens.token_secrets import (
    ACCOUNT_NAME,
    ACCOUNT_UID,
    ACCOUNTS,
    SECRETS,
    AccountKey,
    SecretKey,
    TokenSecrets,
    is_token,
    key_of,
)
from memkube.registry.objects.stored import StoredObject

_RETRIES: Final = Retries(most=10)
_NAMESPACE: Final = "namespace"
_TOKEN: Final = "token"  # noqa: S105  a key of Secrets, not a password


class TokenController:
    """Writes tokens into token Secrets, and deletes token Secrets whose service account does not exist."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._certificate = encode_base64(runtime.registry.kind_services.root_certificate.encode())
        self._accounts = runtime.informers.of(*ACCOUNTS)
        self._secrets = runtime.informers.of(*SECRETS)
        self._tokens = TokenSecrets(self._secrets)
        self._account_queue = runtime.queue("token accounts", self._sync_account, retries=_RETRIES)
        self._secret_queue = runtime.queue("token secrets", self._sync_secret, retries=_RETRIES)
        self._accounts.subscribe(self._on_account)
        self._secrets.subscribe(self._on_secret)

    def _on_account(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if old is not None and new is None:
            self._account_queue.add(AccountKey(old.namespace, old.name, old.uid))

    def _on_secret(self, old: StoredObject | None, new: StoredObject | None) -> None:
        secret = new or old
        assert secret is not None
        if is_token(secret):
            self._secret_queue.add(key_of(secret))

    async def _sync_account(self, key: AccountKey) -> None:
        """Delete the token Secrets of a service account, if the service account does not exist."""
        if self._known_account(key) is None:
            for secret in self._tokens.of(key):
                await self._delete(key_of(secret))

    async def _sync_secret(self, key: SecretKey) -> None:
        if not key.account.name:
            return
        secret = self._secrets.get(key.namespace, key.name)
        if secret is None or secret.uid != key.uid:
            if self._known_account(key.account) is not None:
                await self._remove_reference(key)
            return
        account = self._known_account(key.account) or await self._newest_account(key.account)
        if account is None:
            await self._delete(key)
        else:
            await self._fill(secret, account)

    def _known_account(self, key: AccountKey) -> StoredObject | None:
        account = self._accounts.get(key.namespace, key.name)
        return account if account is not None and key.matches(account.uid) else None

    async def _newest_account(self, key: AccountKey) -> StoredObject | None:
        """Return the newest revision of a service account from the storage; the informer may not have it yet."""
        resource = self._runtime.registry.find(*ACCOUNTS).resource
        try:
            account = await self._runtime.client.get(resource, key.namespace, key.name)
        except ApiError as error:
            if error.reason != "NotFound":
                raise
            return None
        return account if key.matches(account.uid) else None

    async def _delete(self, key: SecretKey) -> None:
        options = DeleteOptions(preconditions=Preconditions(uid=key.uid))
        resource = self._runtime.registry.find(*SECRETS).resource
        try:
            await self._runtime.client.delete(resource, key.namespace, key.name, options)
        except ApiError as error:
            if error.reason not in ("NotFound", "Conflict"):
                raise

    async def _remove_reference(self, key: SecretKey) -> None:
        """Remove a deleted token Secret from the field ``secrets`` of its service account."""
        account = await self._newest_account(key.account)
        if account is None or not refers_to(account.document, key.name):
            return

        def change(obj: ApiObject) -> None:
            assert isinstance(obj, ServiceAccount)
            obj.secrets = [reference for reference in obj.secrets if reference.name != key.name]

        resource = self._runtime.registry.find(*ACCOUNTS).resource
        await self._runtime.client.update(resource, account, change)

    async def _fill(self, secret: StoredObject, account: StoredObject) -> None:
        """Write the data and annotations that the token Secret `secret` of the service account `account` lacks.

        If another client has changed the Secret meanwhile, the informer's event for the change queues it again.
        """
        missing = await self._missing_data(secret, account)
        if not missing:
            return

        def change(obj: ApiObject) -> None:
            assert isinstance(obj, Secret)
            obj.data = {**obj.data, **missing}
            named = {ACCOUNT_NAME: account.name, ACCOUNT_UID: account.uid}
            obj.metadata.annotations = {**obj.metadata.annotations, **named}

        resource = self._runtime.registry.find(*SECRETS).resource
        try:
            await self._runtime.client.update_revision(resource, secret, change)
        except ApiError as error:
            if error.reason not in ("NotFound", "Conflict"):
                raise

    async def _missing_data(self, secret: StoredObject, account: StoredObject) -> dict[str, str]:
        data: dict[str, str] = secret.document.get("data") or {}
        missing = {} if data.get(CERTIFICATE_KEY) == self._certificate else {CERTIFICATE_KEY: self._certificate}
        if not data.get(_NAMESPACE):
            missing[_NAMESPACE] = encode_base64(secret.namespace.encode())
        if not data.get(_TOKEN):
            issuer = self._runtime.registry.kind_services.token_issuer
            token = await issuer.signed(legacy_claims(account, secret))
            missing[_TOKEN] = encode_base64(token.encode())
        return missing
