"""Objects read and written as what a subresource shows of them."""

from dataclasses import replace

from memkube.apimachinery.errors import GroupResource, conflict
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.resource import ViewSubresource
from memkube.registry.objects.stored import StoredObject
from memkube.registry.store import Store
from memkube.registry.writes.updating import Build, Update, UpdateOptions, view_attributes


class ViewStore(Store):
    """Reads and writes the objects of another store as what a view shows of them; it offers no other verbs."""

    def __init__(self, objects: Store, subresource: ViewSubresource) -> None:
        super().__init__(subresource.shown, objects.backend, objects.stores)
        self._objects = objects
        self._subresource = subresource
        self._view = subresource.view

    async def get(self, namespace: str, name: str, resource_version: str = "") -> StoredObject:
        """See Store."""
        return self._shown(await self._objects.get(namespace, name, resource_version))

    async def _update(
        self, name: str, build: Build, context: WriteContext, options: UpdateOptions
    ) -> tuple[StoredObject, bool]:
        """See Store. `build` gets what is shown of the object, and makes a changed one of it."""

        async def rebuild(current: StoredObject | None) -> ApiObject:
            assert current is not None
            before = self._owned(current)
            shown = await build(before)
            old = self.resource.model.from_document(before.document)
            attributes = view_attributes(self._objects, self._subresource, shown, old, context)
            await self._objects.backend.admission.mutate(attributes)
            if errors := self.resource.strategy.validate(shown):
                raise self.invalid(current.name, errors)
            self._check_shown_uid(shown, current)
            changed = {**self._view.put_back(shown, current.document)}
            version = shown.metadata.resourceVersion
            if not version and not self._objects.resource.strategy.allow_unconditional_update:
                version = current.resource_version
            changed["metadata"] = {**changed["metadata"], "resourceVersion": version}
            return self._objects.resource.model.from_document(changed)

        through = replace(options, subresource=self._subresource, upsert=False)
        stored, _ = await Update(self._objects, name, rebuild, context, through).run()
        return self._shown(stored), False

    def _shown(self, stored: StoredObject) -> StoredObject:
        return StoredObject(self._view.show(stored.document))

    def _owned(self, stored: StoredObject) -> StoredObject:
        document = self._view.show_for_change(stored.document)
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
