"""Pods that fit nowhere as things are, by the rules that are in the way."""

from collections.abc import Iterable

from memkube.controllers.scheduler.queued_pod import QueuedPod


class Parking:
    """Finds those that a change may help without looking at all others."""

    def __init__(self) -> None:
        self._pods: dict[str, QueuedPod] = {}
        """The one that has been there longest is first."""
        self._by_rule: dict[str, dict[str, QueuedPod]] = {}

    def add(self, queued: QueuedPod) -> None:
        """Takes in a pod."""
        uid = queued.pod.uid
        self._pods[uid] = queued
        for rule in queued.rejected_by:
            self._by_rule.setdefault(rule, {})[uid] = queued

    def remove(self, queued: QueuedPod) -> bool:
        """Lets a pod go; False if it was not there."""
        uid = queued.pod.uid
        if self._pods.pop(uid, None) is None:
            return False
        for rule in queued.rejected_by:
            pods = self._by_rule[rule]
            del pods[uid]
            if not pods:
                del self._by_rule[rule]
        return True

    def oldest(self) -> QueuedPod | None:
        """The pod that has been there longest."""
        return next(iter(self._pods.values()), None)

    def of(self, rules: Iterable[str]) -> list[QueuedPod]:
        """The pods that one of these rules is in the way of."""
        if not self._pods:
            return []
        found: dict[str, QueuedPod] = {}
        for rule in rules:
            found.update(self._by_rule.get(rule, {}))
        return list(found.values())
