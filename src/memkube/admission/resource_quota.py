"""The admission plugin ResourceQuota: refuses writes beyond a quota (apiserver ``admission/plugin/resourcequota``)."""

import asyncio
from collections.abc import Sequence
from typing import Any, ClassVar, Final
from weakref import WeakValueDictionary

from memkube.admission.chain import AdmissionParts, Plugin
from memkube.admission.configurations import Configurations
from memkube.apimachinery.errors import ApiError, conflict
from memkube.apis.core.v1.resourcequotas.types import ResourceQuota
from memkube.quota.amounts import Amounts, add, equals, format_amounts, mask, positive_difference
from memkube.quota.evaluators import Evaluator
from memkube.quota.registry import evaluator_of, has_special_evaluator, is_counted, is_in_scope
from memkube.registry.declarations.admission import Attributes, refused
from memkube.registry.declarations.request_options import EVERYTHING, WriteContext
from memkube.registry.objects.stored import StoredObject
from memkube.registry.writes.updating import MODIFIED

_RETRIES: Final = 3


class ResourceQuotaPlugin(Plugin):
    """Admission plugin that refuses writes beyond a ResourceQuota (apiserver ``admission/plugin/resourcequota``).

    Usage is added to ``status.used`` before the write. If the write then fails, the quota controller corrects the usage
    later. Limits are read from ``status.hard``, so that a quota without a status limits nothing.
    """

    name: ClassVar[str] = "ResourceQuota"

    def __init__(self, parts: AdmissionParts) -> None:
        self._registry = parts.registry
        store = parts.registry.find("", "v1", "resourcequotas")
        self._limited = Configurations(store, _namespaces)
        self.configured = store.emptiness()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def validate(self, attributes: Attributes) -> None:
        """Refuse a write that would exceed a ResourceQuota; otherwise add its usage to the quotas of the namespace."""
        namespace, resource = attributes.namespace, attributes.resource
        if not namespace or resource.holds_namespaces or not is_counted(resource):
            return
        if attributes.operation != "CREATE" and not has_special_evaluator(resource):
            return
        if namespace not in (await self._limited.get() or ()):
            return
        evaluator = await evaluator_of(resource, self._registry)
        if not evaluator.handles(attributes):
            return
        # As in kube-apiserver, the writes of a namespace are added to quotas one at a time, because concurrent updates
        # of a quota would conflict.
        async with self._locks.setdefault(namespace, asyncio.Lock()):
            await self._charge(attributes, evaluator)

    async def _quotas(self, namespace: str) -> list[ResourceQuota]:
        found = await self._registry.find("", "v1", "resourcequotas").list(namespace, EVERYTHING)
        return [ResourceQuota.from_document(stored.document) for stored in found.items]

    async def _charge(self, attributes: Attributes, evaluator: Evaluator) -> None:
        """Check a write against all quotas of its namespace, and add the usage of the write to these quotas.

        If another update of a quota conflicts with this one, the check and the update are repeated.
        """
        quotas = await self._quotas(attributes.namespace)
        for remaining in reversed(range(_RETRIES + 1)):
            charges = await _charges(quotas, attributes, evaluator)
            if attributes.context.dry_run:
                return
            missed: dict[str, ApiError] = {}
            for quota, used in charges:
                try:
                    await self._update(quota, used)
                except ApiError as error:
                    missed[quota.metadata.name] = error
            if not missed:
                return
            if not remaining:
                raise list(missed.values())[-1]
            quotas = [quota for quota in await self._quotas(attributes.namespace) if quota.metadata.name in missed]

    async def _update(self, quota: ResourceQuota, used: Amounts) -> None:
        store = self._registry.find("", "v1", "resourcequotas")

        def change(newest: ResourceQuota) -> None:
            if newest.metadata.resourceVersion != quota.metadata.resourceVersion:
                raise conflict(store.resource.group_resource, quota.metadata.name, MODIFIED)
            newest.status.used = dict(used)

        context = WriteContext(namespace=quota.metadata.namespace, manager="kube-apiserver")
        await store.update(quota.metadata.name, change, context, subresource="status")


async def _charges(
    quotas: Sequence[ResourceQuota], attributes: Attributes, evaluator: Evaluator
) -> list[tuple[ResourceQuota, Amounts]]:
    """Return those of `quotas` whose usage a write changes, each with its new usage.

    `evaluator` computes the usage of the kind's objects. Raises ApiError (403) if the write exceeds a quota, if the
    object lacks an amount that a quota requires, or if the usage of a quota is not known yet.
    """
    obj: Any = attributes.new
    matching = [quota for quota in quotas if _matches(quota, evaluator, obj)]
    for quota in matching:
        _check_known(quota, attributes, evaluator)
    if not matching:
        return []
    usage = await evaluator.usage(obj)
    negative = sorted(name for name, quantity in usage.items() if quantity.nano < 0)
    if negative:
        raise refused(attributes, f"quota usage is negative for resource(s): {','.join(negative)}")
    charges = []
    for quota in matching:
        used = _used_with(quota, await _delta(quota, usage, attributes, evaluator), attributes)
        if not equals(used, quota.status.used):
            charges.append((quota, used))
    return charges


def _matches(quota: ResourceQuota, evaluator: Evaluator, obj: Any) -> bool:
    return bool(evaluator.matching(quota.status.hard)) and is_in_scope(quota.spec, evaluator, obj)


def _namespaces(quotas: Sequence[StoredObject]) -> frozenset[str]:
    return frozenset(quota.namespace for quota in quotas)


def _check_known(quota: ResourceQuota, attributes: Attributes, evaluator: Evaluator) -> None:
    """Raise ApiError (403) if the object of a write lacks an amount that it must specify because of the quota.

    Also raise it for every write while ``status.used`` of the quota lacks a resource that the quota limits. `evaluator`
    knows which of the limited resources an object of this kind uses, and of which of them it must specify an amount.
    """
    limited = evaluator.matching(quota.status.hard)
    missing = evaluator.missing(limited, attributes.new)
    if missing:
        raise refused(attributes, f"failed quota: {quota.metadata.name}: {missing}")
    if any(name not in quota.status.used for name in limited):
        names = ",".join(sorted(limited))
        raise refused(attributes, f"status unknown for quota: {quota.metadata.name}, resources: {names}")


async def _delta(quota: ResourceQuota, usage: Amounts, attributes: Attributes, evaluator: Evaluator) -> Amounts:
    """Return the usage that a write adds to a quota. `evaluator` computes the usage of the kind's objects.

    `usage` is the usage of the new object. An update adds only the difference from the old object's usage. If the quota
    did not match the old object, the update adds the whole usage.
    """
    old = attributes.old
    if attributes.operation == "UPDATE" and old is not None and _matches(quota, evaluator, old):
        return positive_difference(usage, await evaluator.usage(old))
    return {name: quantity for name, quantity in usage.items() if quantity.nano}


def _used_with(quota: ResourceQuota, delta: Amounts, attributes: Attributes) -> Amounts:
    hard, used = quota.status.hard, quota.status.used
    requested = mask(delta, hard)
    total = add(used, requested)
    exceeded = [name for name in requested if total[name].nano > hard[name].nano]
    if exceeded and attributes.subresource != "status":
        parts = (f"{what}: {format_amounts(mask(amounts, exceeded))}" for what, amounts in (
            ("requested", requested), ("used", used), ("limited", hard),
        ))  # fmt: skip
        raise refused(attributes, f"exceeded quota: {quota.metadata.name}, {', '.join(parts)}")
    return total
