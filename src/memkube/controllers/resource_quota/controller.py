"""The ResourceQuota controller, which writes the usage into the status of ResourceQuotas.

Sources: ``resource_quota_controller.go``, ``resource_quota_monitor.go``.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.quantity import Quantity
from memkube.apis.core.v1.resourcequotas.types import ResourceQuota, ResourceQuotaStatus
from memkube.controllers.framework.informer import ResourceName
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.resource_quota.usage import QuotaUsage
from memkube.quota.amounts import Amounts, equals, mask
from memkube.quota.evaluators import Evaluator
from memkube.quota.registry import countable, evaluator_of
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject

Key: TypeAlias = tuple[str, str]
_ALL: Final = "all"
"""Key in the work queue that stands for the periodic calculation of all ResourceQuotas."""
_QUOTAS: Final = ("", "v1", "resourcequotas")
_RESYNC_SECONDS: Final = 300.0
"""Seconds between two calculations of all ResourceQuotas (``--resource-quota-sync-period``)."""


class _Change(NamedTuple):
    """A change of an object that may change the usage of the ResourceQuotas in its namespace."""

    resource: ResourceName
    namespace: str


class ResourceQuotaController:
    """Calculates the usage of ResourceQuotas, and writes it into their status.

    This is done when the limits of a quota change, when an object that it counts is deleted or changes so that it may
    use less, and periodically. The creation of an object needs no calculation, because admission adds the object to the
    usage. The objects of a resource are watched only after a quota has limited that resource.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._usages: dict[str, dict[str, QuotaUsage]] = {}
        """Usage of each ResourceQuota by name, in each namespace."""
        self._overtaken: set[Key] = set()
        """Keys of ResourceQuotas whose newest revision was written by admission and is not in the informer yet."""
        self._monitored: set[ResourceName] = set()
        self._queue = runtime.queue("resourcequota_primary", self._sync)
        self._changes = runtime.queue("resource_quota_controller_resource_changes", self._replenish)
        self._resyncs = runtime.queue("resourcequota_resync", self._resync)
        self._quotas = runtime.informers.of(*_QUOTAS)
        self._quotas.subscribe(self._on_quota)

    def _on_quota(self, old: StoredObject | None, new: StoredObject | None) -> None:
        quota = new or old
        assert quota is not None
        key = (quota.namespace, quota.name)
        if key not in self._overtaken and old is not None and new is not None and equals(_hard(old), _hard(new)):
            return
        self._overtaken.discard(key)
        self._queue.add(key)
        self._resyncs.add_after(_ALL, _RESYNC_SECONDS)

    async def _resync(self, _: str) -> None:
        """Queue all ResourceQuotas for calculation. Repeat this after every resync period while any exist."""
        for quota in self._quotas:
            self._queue.add((quota.namespace, quota.name))
            self._resyncs.add_after(_ALL, _RESYNC_SECONDS)

    async def _sync(self, key: Key) -> None:
        """Calculate the usage of a ResourceQuota, and write its status if the usage or the limits have changed.

        If admission has changed the usage meanwhile, calculate it again.
        """
        namespace, name = key
        resource, known = self._runtime.catalog.find(*_QUOTAS), self._quotas.get(*key)
        if resource is None or known is None:
            self._forget(key)
            return
        quota = ResourceQuota.from_document(known.document)
        evaluators = await self._evaluators(quota.spec.hard)
        usage = self._usages.setdefault(namespace, {}).setdefault(name, QuotaUsage())
        informers, now = self._runtime.informers, self._runtime.clock.now()
        amounts = await usage.calculate(quota, evaluators, informers, now)
        used = mask({**quota.status.used, **amounts}, quota.spec.hard)
        if equals(quota.spec.hard, quota.status.hard) and equals(used, quota.status.used):
            return
        try:
            await self._write(resource, known, quota, used)
        except ApiError as error:
            if error.reason == "Conflict":
                self._overtaken.add(key)
            raise

    def _forget(self, key: Key) -> None:
        usages = self._usages.get(key[0], {})
        usages.pop(key[1], None)
        if not usages:
            self._usages.pop(key[0], None)

    async def _write(self, resource: Resource, known: StoredObject, quota: ResourceQuota, used: Amounts) -> None:
        def change(newest: Any) -> None:
            newest.status = ResourceQuotaStatus(hard=quota.spec.hard, used=dict(used))

        await self._runtime.client.update_revision(resource, known, change, subresource="status")

    async def _evaluators(self, hard: Amounts) -> Mapping[ResourceName, tuple[Resource, Evaluator]]:
        """Return the resources of which a ResourceQuota with the limits `hard` counts objects, with their evaluators.

        The objects of these resources are watched from now on. Returns when their informers have listed all objects.
        """
        found = {}
        for resource in countable(hard, self._runtime.catalog):
            evaluator = await evaluator_of(resource, self._runtime.registry)
            if not evaluator.matching(hard):
                continue
            name = ResourceName.of(resource)
            found[name] = (resource, evaluator)
            if name not in self._monitored:
                self._monitored.add(name)
                self._runtime.informers.of(*name).subscribe(partial(self._on_object, name, evaluator))
        await self._runtime.informers.synced()
        return found

    def _on_object(
        self, resource: ResourceName, evaluator: Evaluator, old: StoredObject | None, new: StoredObject | None
    ) -> None:
        stored = new or old
        assert stored is not None
        namespace = stored.namespace
        usages = self._usages.get(namespace)
        if not usages:
            return
        for usage in usages.values():
            usage.mark(resource, stored.name)
        if old is not None and (new is None or evaluator.is_changed(old.document, new.document)):
            self._changes.add(_Change(resource, namespace))

    async def _replenish(self, change: _Change) -> None:
        """Queue the ResourceQuotas whose usage may have decreased by a change of an object."""
        resource = self._runtime.catalog.find(*change.resource)
        if resource is None:
            return
        evaluator = await evaluator_of(resource, self._runtime.registry)
        for quota in self._quotas.in_namespace(change.namespace).values():
            if evaluator.matching(quota.document["status"].get("hard") or ()):
                self._queue.add((quota.namespace, quota.name))


def _hard(quota: StoredObject) -> Amounts:
    limits: dict[str, str] = quota.document["spec"].get("hard") or {}
    return {name: Quantity(limit) for name, limit in limits.items()}
