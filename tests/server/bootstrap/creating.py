"""Objects that are created through the verbs, in the server's own name."""

from memkube.apimachinery.model import Document
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.objects.stored import StoredObject
from memkube.registry.registry import Registry
from memkube.registry.writes.placing import API_SERVER, ResourceName


async def create(registry: Registry, resource: ResourceName, document: Document, namespace: str = "") -> StoredObject:
    """Create an object in the server's own name, as a client would.

    `document` must fit the kind of the resource, and may leave out ``kind`` and ``apiVersion``. Raises KeyError for a
    resource that is not served, and ApiError.
    """
    store = registry.find(*resource)
    obj = store.resource.model.from_document(document)
    return await store.create(obj, WriteContext(namespace=namespace, manager=API_SERVER))
