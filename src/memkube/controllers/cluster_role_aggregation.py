"""Copies rules into aggregated ClusterRoles (``pkg/controller/clusterroleaggregation``)."""

from collections.abc import Sequence
from typing import Any, Final

from memkube.apimachinery import labels
from memkube.apimachinery.labels import LabelSelector
from memkube.apimachinery.meta.v1.selectors import LabelSelector as LabelSelectorModel
from memkube.apimachinery.model import Document
from memkube.controllers.framework.runtime import Runtime
from memkube.registry.objects.stored import StoredObject

_CLUSTER_ROLES: Final = ("rbac.authorization.k8s.io", "v1", "clusterroles")


class ClusterRoleAggregationController:
    """Copies into each ClusterRole with an ``aggregationRule`` the rules of the ClusterRoles that it selects."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._client = runtime.client_of("clusterrole-aggregation-controller")
        self._queue = runtime.queue("ClusterRoleAggregator", self._sync)
        self._roles = runtime.informers.of(*_CLUSTER_ROLES)
        self._selectors: dict[str, Sequence[LabelSelector]] = {}
        """Label selectors of each aggregated ClusterRole, by its name."""
        self._roles.subscribe(self._on_role)

    def _on_role(self, old: StoredObject | None, new: StoredObject | None) -> None:
        changed = new or old
        assert changed is not None
        self._selectors.pop(changed.name, None)
        if new is not None and (rule := new.document.get("aggregationRule")) is not None:
            self._selectors[new.name] = [_selector(each) for each in rule.get("clusterRoleSelectors") or ()]
            self._queue.add(new.name)
        for name, selectors in self._selectors.items():
            if any(s.matches(role.labels) for s in selectors for role in (old, new) if role is not None):
                self._queue.add(name)

    async def _sync(self, name: str) -> None:
        role, resource = self._roles.get("", name), self._runtime.catalog.find(*_CLUSTER_ROLES)
        if role is None or resource is None or name not in self._selectors:
            return
        rules: list[Document] = []
        for selector in self._selectors[name]:
            selected = [other for other in self._roles if other.name != name and selector.matches(other.labels)]
            for other in sorted(selected, key=lambda other: other.name):
                rules += [rule for rule in _rules(other) if rule not in rules]
        if rules != _rules(role):
            await self._client.apply(resource, "", name, {"rules": rules} if rules else {})


def _selector(document: Document) -> LabelSelector:
    return labels.from_model(LabelSelectorModel.from_document(document))


def _rules(role: StoredObject) -> list[dict[str, Any]]:
    """Return the rules of a ClusterRole without empty fields, which must not affect the comparison of rules."""
    return [{name: value for name, value in rule.items() if value} for rule in role.document.get("rules") or ()]
