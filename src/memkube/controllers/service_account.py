"""Gives every namespace the service account ``default`` (``pkg/controller/serviceaccount``)."""

from typing import Final

from memkube.apis.core.v1.serviceaccounts.types import ServiceAccount
from memkube.controllers.namespaced_object import create_unless_there, is_active
from memkube.controllers.runtime import Runtime
from memkube.registry.stored import StoredObject

_DEFAULT: Final = "default"
_SERVICE_ACCOUNTS: Final = ("", "v1", "serviceaccounts")


class ServiceAccountController:
    """Creates the account in new namespaces, and again where it is deleted."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._queue = runtime.queue("service account", self._sync)
        self._accounts = runtime.informers.of(*_SERVICE_ACCOUNTS)
        self._namespaces = runtime.informers.of("", "v1", "namespaces")
        self._accounts.subscribe(self._on_account)
        self._namespaces.subscribe(self._on_namespace)

    def _on_account(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if old is not None and new is None:
            self._queue.add(old.namespace)

    def _on_namespace(self, _: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None:
            self._queue.add(new.name)

    async def _sync(self, namespace: str) -> None:
        resource = self._runtime.catalog.find(*_SERVICE_ACCOUNTS)
        if resource is None or not is_active(self._namespaces.get("", namespace)):
            return
        if self._accounts.get(namespace, _DEFAULT) is None:
            account = ServiceAccount()
            account.metadata.name = _DEFAULT
            await create_unless_there(self._runtime.client, resource, account, namespace)
