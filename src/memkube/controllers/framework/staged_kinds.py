"""The kinds whose objects are simulated by Stages (``kwok.x-k8s.io/v1alpha1``) instead of controllers."""

from collections import Counter
from collections.abc import Callable
from typing import Final, NamedTuple

from memkube.controllers.framework.informer import Informer, ResourceName
from memkube.registry.objects.stored import StoredObject

STAGES: Final = ResourceName("kwok.x-k8s.io", "v1alpha1", "stages")


class StagedKind(NamedTuple):
    """apiVersion and kind that the ``resourceRef`` of a Stage names."""

    api_version: str
    kind: str

    @classmethod
    def of(cls, stage: StoredObject) -> "StagedKind":
        """Return the apiVersion and kind to which a Stage applies. Both are empty if it has no ``resourceRef``."""
        spec = stage.document.get("spec")
        reference = spec.get("resourceRef") if isinstance(spec, dict) else None
        if not isinstance(reference, dict):
            return cls("", "")
        return cls(str(reference.get("apiGroup") or "v1"), str(reference.get("kind") or ""))


PODS: Final = StagedKind("v1", "Pod")
NODES: Final = StagedKind("v1", "Node")


class StagedKinds:
    """The kinds to which Stages apply. Controllers such as the kubelet leave the objects of these kinds alone.

    This class is separate from the controller that executes Stages, so that other controllers know these kinds before
    they process their first object.
    """

    def __init__(self, stages: Informer | None) -> None:
        """Follow the Stages in the informer `stages`, which is None if the server does not execute Stages."""
        self._counts: Counter[StagedKind] = Counter()
        self._listeners: list[Callable[[StagedKind], None]] = []
        if stages is not None:
            stages.subscribe(self._stage_changed)

    def __contains__(self, kind: StagedKind) -> bool:
        return self._counts[kind] > 0 if self._counts else False

    def subscribe(self, listener: Callable[[StagedKind], None]) -> None:
        """Register a function that is called with a kind when its first Stage is created or its last one is deleted."""
        self._listeners.append(listener)

    def close(self) -> None:
        """Remove all listeners, to release their references to controllers."""
        self._listeners.clear()

    def _stage_changed(self, old: StoredObject | None, new: StoredObject | None) -> None:
        before, after = (StagedKind.of(stage) if stage is not None else None for stage in (old, new))
        if before == after:
            return
        for kind, step in ((after, 1), (before, -1)):
            if kind is None:
                continue
            was_staged = kind in self
            self._counts[kind] += step
            if was_staged != (kind in self):
                for listener in self._listeners:
                    listener(kind)
