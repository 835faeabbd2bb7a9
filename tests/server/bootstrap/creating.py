"""Creation of objects through the registry, as the API server itself."""

from memkube.apimachinery.model import Document
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.objects.stored import StoredObject
from memkube.registry.registry import Registry
from memkube.registry.writes.initial_objects import API_SERVER, ResourceName


async def create(registry: Registry, resource: ResourceName, document: Document, namespace: str = "") -> StoredObject:
    """Create an object as the API server itself, through the same steps as a client's object.

    `document` must match the kind of the resource, and may omit ``kind`` and ``apiVersion``. Raises KeyError for a
    resource that is not served, and ApiError.
    """
    store = registry.find(*resource)
    obj = store.resource.model.from_document(document)
    return await store.create(obj, WriteContext(namespace=namespace, manager=API_SERVER))
