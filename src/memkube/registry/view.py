"""Objects as a subresource shows them: as objects of another kind, which can be changed and put back (``scale``)."""

from abc import ABC, abstractmethod

from memkube.apimachinery.errors import GroupResource, conflict
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import Document
from memkube.registry.context import WriteContext
from memkube.registry.resource import Resource, Subresource
from memkube.registry.store import Build, Store
from memkube.registry.stored import StoredObject


class View(ABC):
    """How the objects of one resource look as objects of another kind."""

    @property
    @abstractmethod
    def resource(self) -> Resource:
        """The kind that is shown. Its strategy's validation is asked before a change is put back."""

    @abstractmethod
    def show(self, document: Document) -> Document:
        """What is shown of an object. It has the object's name, uid and resourceVersion, and no managedFields."""

    @abstractmethod
    def owners(self, document: Document) -> list[Document]:
        """The managedFields of what is shown."""

    @abstractmethod
    def put_back(self, shown: ApiObject, current: Document) -> Document:
        """The object `current` with what was changed in `shown`, managedFields included."""


class ViewStore(Store):
    """Reads and writes the objects of another store as what a view shows of them; offers get and update alone."""

    def __init__(self, objects: Store, subresource: Subresource, view: View) -> None:
        super().__init__(view.resource, objects.backend)
        self._objects = objects
        self._subresource = subresource
        self._view = view

    async def get(self, namespace: str, name: str, resource_version: str = "") -> StoredObject:
        """See Store."""
        return self._shown(await self._objects.get(namespace, name, resource_version))

    async def update(
        self,
        name: str,
        build: Build,
        context: WriteContext,
        *,
        subresource: Subresource | None = None,
        upsert: bool = False,
        uid: str | None = None,
    ) -> tuple[StoredObject, bool]:
        """See Store. `build` gets what is shown of the object, and makes a changed one of it."""

        async def rebuild(current: StoredObject | None) -> ApiObject:
            assert current is not None
            shown = await build(self._owned(current))
            if errors := self.resource.strategy.validate(shown):
                raise self.invalid(current.name, errors)
            self._check_shown_uid(shown, current)
            changed = {**self._view.put_back(shown, current.document)}
            changed["metadata"] = {**changed["metadata"], "resourceVersion": shown.metadata.resourceVersion}
            return self._objects.resource.model.from_document(changed)

        stored, _ = await self._objects.update(name, rebuild, context, subresource=self._subresource, uid=uid)
        return self._shown(stored), False

    def _shown(self, stored: StoredObject) -> StoredObject:
        return StoredObject(self._view.show(stored.document))

    def _owned(self, stored: StoredObject) -> StoredObject:
        document = self._view.show(stored.document)
        if owners := self._view.owners(stored.document):
            document = {**document, "metadata": {**document["metadata"], "managedFields": owners}}
        return StoredObject(document)

    def _check_shown_uid(self, shown: ApiObject, current: StoredObject) -> None:
        uid = shown.metadata.uid
        if uid and uid != current.uid:
            named = self._objects.resource.group_resource
            name = GroupResource(named.group, f"{named.resource}/{self._subresource.name}")
            why = f"Precondition failed: UID in precondition: {uid}, UID in object meta: {current.uid}"
            raise conflict(name, current.name, why)
