"""``legacy-serviceaccount-token-cleaner-controller``: deletes unused token Secrets of service accounts.

Source: ``legacy_serviceaccount_token_cleaner.go``.
"""

import logging
from datetime import UTC, date, datetime, timedelta
from typing import Final

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions, Preconditions
from memkube.apis.authentication.v1.tokens.legacy import INVALID_SINCE, LAST_USED, TRACKING, refers_to
from memkube.apis.core.v1.podspec.secret_names import secret_names
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.service_account_tokens.token_secrets import ACCOUNTS, SECRETS, TokenSecrets, is_token, key_of
from memkube.registry.objects.stored import StoredObject

_PERIOD: Final = timedelta(days=365)
"""Time without use until a token is marked as invalid, and then until its Secret is deleted.

It is the default of ``--legacy-service-account-token-clean-up-period``.
"""
_INTERVAL: Final = 24 * 3600.0
_ALL: Final = "all tokens"
_WRITTEN: Final = "2006-01-02"
_LOGGER: Final = logging.getLogger("memkube.controllers")


class LegacyTokenCleaner:
    """Deletes token Secrets that Kubernetes created for service accounts and that were not used for a long time.

    A token without use for a year is marked as invalid. After another year its Secret is deleted. All token Secrets are
    checked once a day, while any exist.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._secrets = runtime.informers.of(*SECRETS)
        self._accounts = runtime.informers.of(*ACCOUNTS)
        self._pods = runtime.informers.of("", "v1", "pods")
        self._tokens = TokenSecrets(self._secrets)
        self._queue = runtime.queue("legacy tokens", self._sync)
        self._secrets.subscribe(self._on_secret)

    def _on_secret(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if old is None and new is not None and is_token(new) and self._queue.due(_ALL) is None:
            self._queue.add(_ALL)

    async def _sync(self, _: str) -> None:
        tokens = self._tokens.all()
        if not tokens:
            return
        self._queue.add_after(_ALL, _INTERVAL)
        now = self._runtime.clock.now()
        since = await self._tracked_since()
        # Uses of tokens on the first day of tracking may not be recorded, so begin to count on the next day.
        if since is None or now < since + timedelta(days=1) + _PERIOD:
            return
        mounted: dict[str, frozenset[str]] = {}
        for secret in tokens:
            if self._is_unused(secret, now - _PERIOD):
                if secret.namespace not in mounted:
                    mounted[secret.namespace] = self._mounted(secret.namespace)
                if secret.name not in mounted[secret.namespace]:
                    await self._retire(secret, now)

    async def _tracked_since(self) -> datetime | None:
        """Return the day since which the uses of tokens are recorded, at 0:00 UTC; None if it is unknown."""
        resource = self._runtime.registry.find("", "v1", "configmaps").resource
        try:
            found = await self._runtime.client.get(resource, *TRACKING)
        except ApiError as error:
            if error.reason != "NotFound":
                raise
            return None
        day = _day((found.document.get("data") or {}).get("since", ""))
        return None if day is None else datetime(day.year, day.month, day.day, tzinfo=UTC)

    def _is_unused(self, secret: StoredObject, before: datetime) -> bool:
        """True if Kubernetes created the token Secret, and the token was not used since the time `before`."""
        metadata = secret.document["metadata"]
        if "deletionTimestamp" in metadata or datetime.fromisoformat(metadata["creationTimestamp"]) >= before:
            return False
        used = secret.labels.get(LAST_USED)
        if used is not None and (_day(used) is None or used >= _written(before)):
            return False
        key = key_of(secret).account
        account = self._accounts.get(key.namespace, key.name)
        return account is not None and key.matches(account.uid) and refers_to(account.document, secret.name)

    def _mounted(self, namespace: str) -> frozenset[str]:
        """Return the names of the Secrets that the pods in a namespace use."""
        pods = self._pods.in_namespace(namespace).values()
        specs = (PodSpec.from_document(pod.document["spec"]) for pod in pods)
        return frozenset(name for spec in specs for name in secret_names(spec))

    async def _retire(self, secret: StoredObject, now: datetime) -> None:
        """Mark an unused token as invalid, or delete its Secret if it was marked long enough ago."""
        invalid_since = secret.labels.get(INVALID_SINCE, "")
        try:
            if _day(invalid_since) is None:
                await self._mark(secret, _written(now))
            elif invalid_since < _written(now - _PERIOD):
                await self._delete(secret)
        except ApiError as error:
            if error.reason not in ("NotFound", "Conflict"):
                _LOGGER.warning("legacy token %s/%s: %s", secret.namespace, secret.name, error)

    async def _mark(self, secret: StoredObject, today: str) -> None:
        def change(obj: ApiObject) -> None:
            obj.metadata.labels = {**obj.metadata.labels, INVALID_SINCE: today}

        await self._runtime.client.update(self._runtime.registry.find(*SECRETS).resource, secret, change)

    async def _delete(self, secret: StoredObject) -> None:
        options = DeleteOptions(preconditions=Preconditions(resourceVersion=secret.resource_version))
        resource = self._runtime.registry.find(*SECRETS).resource
        await self._runtime.client.delete(resource, secret.namespace, secret.name, options)


def _day(text: str) -> date | None:
    """Parse a date such as 2006-01-02; None if it is malformed."""
    if len(text) != len(_WRITTEN):
        return None
    try:
        return date.fromisoformat(text) if text[4] == text[7] == "-" else None
    except ValueError:
        return None


def _written(instant: datetime) -> str:
    return instant.date().isoformat()
