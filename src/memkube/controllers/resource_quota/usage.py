"""Calculates the usage of a ResourceQuota from objects in informers (apiserver ``quota/v1/resources.go``)."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from memkube.apimachinery.quantity import Quantity
from memkube.apis.core.v1.resourcequotas.types import ResourceQuota, ResourceQuotaSpec
from memkube.controllers.framework.informer import Informer, ResourceName
from memkube.controllers.framework.informers import Informers
from memkube.quota.amounts import ZERO, Amounts, add, mask
from memkube.quota.evaluators import Evaluator
from memkube.quota.registry import is_in_scope
from memkube.registry.declarations.resource import Resource
from memkube.time.turns import Turns


class Tally:
    """The total usage of one ResourceQuota by the objects of one resource in its namespace.

    The usage of each object is cached, so that a calculation evaluates only the objects that have changed.
    """

    def __init__(self, informer: Informer, namespace: str, spec: ResourceQuotaSpec) -> None:
        self._informer = informer
        self._namespace = namespace
        self._spec = spec
        self._total: dict[str, Quantity] = {}
        self._amounts: dict[str, Amounts] = {}
        self._expiring: dict[str, datetime] = {}
        """Times after which the usage of unchanged objects changes, by the name of the object."""
        self.changed = set(informer.in_namespace(namespace))
        """Names of the objects that have changed since the usage was computed last."""

    async def total(self, resource: Resource, evaluator: Evaluator, now: datetime) -> Amounts:
        """Return the total usage of all objects of `resource` at the time `now`.

        Only objects whose usage may have changed since the last call are evaluated again, by `evaluator`.
        """
        self.changed.update(name for name, end in self._expiring.items() if end < now)
        turns = Turns()
        while self.changed:
            await turns.give()
            await self._count(self.changed.pop(), resource, evaluator)
        return self._total

    async def _count(self, name: str, resource: Resource, evaluator: Evaluator) -> None:
        """Replace the usage of the object `name` in the total by that of its newest revision.

        `evaluator` computes the usage of objects of `resource`.
        """
        for limited, amount in self._amounts.pop(name, {}).items():
            self._total[limited] = self._total[limited].minus(amount)
        self._expiring.pop(name, None)
        stored = self._informer.get(self._namespace, name)
        if stored is None:
            return
        obj = resource.model.from_document(stored.document)
        end = evaluator.usage_ends(stored.document)
        if end is not None:
            self._expiring[name] = end
        if is_in_scope(self._spec, evaluator, obj):
            amounts = self._amounts[name] = mask(await evaluator.usage(obj), self._spec.hard)
            for limited, amount in amounts.items():
                self._total[limited] = self._total.get(limited, ZERO).plus(amount)


class QuotaUsage:
    """The usage of the resources that one ResourceQuota limits."""

    def __init__(self) -> None:
        self._spec = ResourceQuotaSpec()
        self._tallies: dict[ResourceName, Tally] = {}

    def mark(self, resource: ResourceName, name: str) -> None:
        """Record that an object has changed, so that the next calculation evaluates it again."""
        if resource in self._tallies:
            self._tallies[resource].changed.add(name)

    async def calculate(
        self,
        quota: ResourceQuota,
        evaluators: Mapping[ResourceName, tuple[Resource, Evaluator]],
        informers: Informers,
        now: datetime,
    ) -> Amounts:
        """Return the usage of the resources that a ResourceQuota limits, by resource name.

        `evaluators` compute the usage of single objects of each kind, and `informers` have the objects. Resources that
        no evaluator computes are left out.
        """
        if quota.spec != self._spec:
            self._spec, self._tallies = quota.spec, {}
        hard, usage = quota.spec.hard, dict[str, Quantity]()
        for name, (resource, evaluator) in evaluators.items():
            tally = self._tallies.get(name)
            if tally is None:
                tally = self._tallies[name] = Tally(informers.of(*name), quota.metadata.namespace, quota.spec)
            known: Iterable[str] = evaluator.matching(hard)
            usage = add(usage, {**dict.fromkeys(known, ZERO), **await tally.total(resource, evaluator, now)})
        return usage
