"""How objects of the server itself are written."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.registry import Registry
from memkube.registry.requests import WriteContext
from memkube.registry.stored import StoredObject

MANAGER: Final = "kube-apiserver"
"""Whose fields they are."""


async def create(
    registry: Registry, resource: tuple[str, str, str], document: Document, namespace: str = ""
) -> StoredObject:
    """Stores a new object in the server's own name; `resource` is a group, a version and a plural.

    The document fits its kind, and need not say which that is. Raises KeyError for a resource that is not served, and
    ApiError.
    """
    store = registry.find(*resource)
    obj = store.resource.model.from_document(document)
    return await store.create(obj, WriteContext(namespace=namespace, manager=MANAGER))
