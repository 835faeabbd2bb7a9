"""Objects that a controller has changed, until the informers know (``pkg/controller/util/consistency``)."""

from collections.abc import Iterable

from memkube.controllers.informer import Informer
from memkube.registry.stored import StoredObject


class UnseenWrites:
    """The newest revisions that were written of objects which informers still know by older ones."""

    def __init__(self, *informers: Informer) -> None:
        self._revisions: dict[str, int] = {}
        for informer in informers:
            informer.subscribe(self._on_change)

    def wrote(self, known: StoredObject | None, written: StoredObject) -> None:
        """An object was written that the informer knows as `known`."""
        if known is not None and known.uid == written.uid:
            revision = int(written.resource_version)
            if int(known.resource_version) < revision:
                self._revisions[written.uid] = revision

    def any_of(self, objects: Iterable[StoredObject]) -> bool:
        """Whether a newer revision is on its way of one of the objects."""
        return any(stored.uid in self._revisions for stored in objects)

    def _on_change(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None:
            assert old is not None
            self._revisions.pop(old.uid, None)
        elif self._revisions.get(new.uid, 0) <= int(new.resource_version):
            self._revisions.pop(new.uid, None)
