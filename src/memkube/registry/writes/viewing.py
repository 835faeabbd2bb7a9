"""Writes to subresources that have a kind of their own, such as ``scale`` with the kind Scale."""

from memkube.apimachinery.errors import GroupResource, conflict
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.registry.declarations.kinds import KindName
from memkube.registry.declarations.resource import ViewSubresource
from memkube.registry.objects.stored import StoredObject
from memkube.registry.reads.collection import Collection


class ViewedObjects:
    """Converts the objects of a collection to the kind of a subresource such as ``scale`` and back, for writes."""

    def __init__(self, collection: Collection, subresource: ViewSubresource) -> None:
        self._collection = collection
        self._subresource = subresource
        self._shown, self._view = subresource.shown, subresource.view

    @property
    def kind(self) -> KindName:
        """Group, version and kind of the subresource's objects, such as Scale."""
        return KindName(self._shown.group, self._shown.version, self._shown.kind)

    def shown(self, current: StoredObject) -> StoredObject:
        """Convert the stored object `current` to the kind of the subresource, such as Scale.

        The managedFields of the result list only the fields that the object and the subresource share.
        """
        document = self._view.show_for_change(current.document)
        if owners := self._view.owners(current.document):
            document = {**document, "metadata": {**document["metadata"], "managedFields": owners}}
        return StoredObject(document)

    def instance(self, shown: StoredObject) -> ApiObject:
        """Return `shown`, the JSON data of an object of the subresource's kind, as an instance of the kind's model."""
        return self._shown.model.from_document(shown.document)

    def shown_to_admission(self, obj: ApiObject) -> ApiObject:
        """Convert `obj`, such as a Deployment, to the object that validating admission plugins get, such as a Scale."""
        return self._shown.model.from_document(self._view.show_to_admission(obj.to_document()))

    def put_back(self, shown: ApiObject, current: StoredObject) -> ApiObject:
        """Return the stored object `current` with the changes that a client made in the subresource.

        `shown` is the changed object in the kind of the subresource, such as a Scale. Raises ApiError 422 if `shown` is
        invalid, and 409 if the uids of `shown` and `current` differ (custom kinds ignore the uid).
        """
        if errors := self._shown.strategy.validate(shown):
            raise self._collection.invalid(current.name, errors, self._shown)
        if self._collection.resource.structural is None:
            self._check_uid(shown, current)
        changed = {**self._view.put_back(shown, current.document)}
        version = shown.metadata.resourceVersion
        if not version and not self._collection.resource.strategy.allow_unconditional_update:
            version = current.resource_version
        changed["metadata"] = {**changed["metadata"], "resourceVersion": version}
        return self._collection.resource.model.from_document(changed)

    def _check_uid(self, shown: ApiObject, current: StoredObject) -> None:
        uid = shown.metadata.uid
        if uid and uid != current.uid:
            named = self._collection.resource.group_resource
            name = GroupResource(named.group, f"{named.resource}/{self._subresource.name}")
            why = f"Precondition failed: UID in precondition: {uid}, UID in object meta: {current.uid}"
            raise conflict(name, current.name, why)
