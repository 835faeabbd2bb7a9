"""Compiles the Stages of each kind, and compiles them again if Stage objects or the served kinds change."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from memkube.controllers.framework.informer import Informer, ResourceName
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.staged_kinds import STAGES, StagedKind
from memkube.controllers.stages.compiling import compiled_stage
from memkube.controllers.stages.played_kinds import PlayedKind, played_kind
from memkube.controllers.stages.stage import Stage
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject


class Lifecycle(NamedTuple):
    """The Stages of one kind, with the resource that serves the kind and the informer of its objects."""

    resource: Resource
    kind: PlayedKind
    objects: Informer
    """Informer of the kind's objects."""
    stages: Mapping[str, Stage]
    """The compiled Stages of the kind, by name and in the order of the names. Stages that were refused are left out."""
    fingerprint: str
    """Hash of the names, uids and generations of the Stages, which changes with any of them."""


class LifecycleListener(NamedTuple):
    """Functions that are called after changes of Stages, and of objects to which Stages apply."""

    object_changed: Callable[[ResourceName, StoredObject | None, StoredObject | None], None]
    """Function called with the resource, the old and the new revision of an object to which Stages apply."""
    stages_changed: Callable[[ResourceName], None]
    """Function called with a resource whose Stages have changed, or that is served now or no longer served."""
    stage_refused: Callable[[str, str], None]
    """Function called with the name of a Stage that was refused, and the reason."""


class _StageObject(NamedTuple):
    stored: StoredObject
    compiled: Stage | None


class Lifecycles:
    """The compiled Stages of all kinds, which follow changes of the Stage objects."""

    def __init__(self, runtime: Runtime, listener: LifecycleListener) -> None:
        self._runtime = runtime
        self._listener = listener
        self._stages: dict[StagedKind, dict[str, _StageObject]] = {}
        self._kinds: dict[StagedKind, PlayedKind] = {}
        self._lifecycles: dict[ResourceName, Lifecycle] = {}
        self._resources: dict[StagedKind, Resource] = {}
        self._followed: set[ResourceName] = set()

    def follow(self) -> None:
        """Compile the existing Stage objects, and from now on react to changes of Stage objects and of served kinds."""
        runtime = self._runtime
        runtime.informers.of(*STAGES).subscribe(self._stage_changed)
        runtime.closing.append(runtime.catalog.on_change(self._catalog_changed))

    def of(self, resource: ResourceName) -> Lifecycle | None:
        """Return the Stages of a resource, or None if it has none or is not served."""
        return self._lifecycles.get(resource)

    def _stage_changed(self, old: StoredObject | None, new: StoredObject | None) -> None:
        changed = []
        if old is not None and (new is None or StagedKind.of(old) != StagedKind.of(new)):
            kind = StagedKind.of(old)
            self._stages[kind].pop(old.name, None)
            changed.append(kind)
        if new is not None and (old is None or _identity(old) != _identity(new)):
            kind = StagedKind.of(new)
            self._stages.setdefault(kind, {})[new.name] = _StageObject(new, self._compiled(kind, new))
            changed.append(kind)
        for kind in changed:
            self._refresh(kind)

    def _compiled(self, kind: StagedKind, stored: StoredObject) -> Stage | None:
        try:
            spec, played = stored.document.get("spec") or {}, self._kind(kind)
            return compiled_stage(stored.name, spec, played.languages)
        except ValueError as error:
            self._listener.stage_refused(stored.name, str(error))
            return None

    def _kind(self, kind: StagedKind) -> PlayedKind:
        known = self._kinds.get(kind)
        if known is None:
            known = self._kinds[kind] = played_kind(kind, self._runtime)
        return known

    def _catalog_changed(self) -> None:
        for kind in list(self._stages):
            if self._runtime.resource(*kind) is not self._resources.get(kind):
                self._refresh(kind)

    def _refresh(self, kind: StagedKind) -> None:
        """Update the Stages of a kind after the change of a Stage or of the resource that serves the kind."""
        before = self._resources.pop(kind, None)
        if before is not None:
            self._lifecycles.pop(ResourceName.of(before), None)
        resource = self._runtime.resource(*kind)
        if resource is not None and self._stages.get(kind):
            name = ResourceName.of(resource)
            objects = self._runtime.informers.of(*name)
            known = dict(sorted(self._stages[kind].items()))
            stages = {each.compiled.name: each.compiled for each in known.values() if each.compiled is not None}
            fingerprint = _fingerprint([_identity(each.stored) for each in known.values()])
            self._resources[kind] = resource
            self._lifecycles[name] = Lifecycle(resource, self._kind(kind), objects, stages, fingerprint)
            if name not in self._followed:
                self._followed.add(name)
                objects.subscribe(partial(self._listener.object_changed, name))
        for each in {ResourceName.of(each) for each in (before, resource) if each is not None}:
            self._listener.stages_changed(each)


def _identity(stage: StoredObject) -> tuple[str, str, int]:
    """Return name, uid and generation of a Stage. They change if its spec changes, or if it is created again."""
    return stage.name, stage.uid, stage.document["metadata"].get("generation", 0)


def _fingerprint(identities: Sequence[tuple[str, str, int]]) -> str:
    return hashlib.sha256(repr(identities).encode()).hexdigest()[:16]
