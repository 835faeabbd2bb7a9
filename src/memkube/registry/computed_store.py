"""Resources whose objects are computed on every read instead of being stored.

The objects have no resourceVersion.
"""

from memkube.apimachinery.model import Document
from memkube.registry.declarations.interface import Computed
from memkube.registry.declarations.request_options import ListOptions
from memkube.registry.objects.stored import ObjectList, StoredObject
from memkube.registry.reads.listing import matcher
from memkube.registry.store import Store

_NO_REVISION = 0


class ComputedStore(Store):
    """Store of a computed resource. It supports only get and list."""

    async def get(self, namespace: str, name: str, resource_version: str = "") -> StoredObject:
        """Return the object with this name. `resource_version` is ignored, as in kube-apiserver.

        Raises ApiError 404 if the object does not exist.
        """
        return self._shown(await self._source.one(self.stores, namespace, name))

    async def list(self, namespace: str, options: ListOptions) -> ObjectList:
        """Return all objects that match the selectors, on one page."""
        documents = await self._source.all(self.stores, namespace, options.selection.labels)
        objects = [self._shown(document) for document in documents]
        matches = matcher(options.selection, self.resource.fields.read)
        return ObjectList([o for o in objects if matches is None or matches(o)], _NO_REVISION)

    @property
    def _source(self) -> Computed:
        source = self.resource.computed
        assert source is not None
        return source

    def _shown(self, document: Document) -> StoredObject:
        resource = self.resource
        return StoredObject({"kind": resource.kind, "apiVersion": resource.api_version, **document})
