"""Every store of a server."""

from memkube.registry.backend import Backend
from memkube.registry.catalog import Catalog
from memkube.registry.resource import Resource
from memkube.registry.store import Store


class Registry:
    """Finds the store of a resource. What a program in this process calls instead of HTTP."""

    def __init__(self, catalog: Catalog, backend: Backend) -> None:
        self.catalog = catalog
        self.backend = backend
        self._stores: dict[int, Store] = {}

    def store(self, resource: Resource) -> Store:
        """The store of a resource; the same one each time."""
        store = self._stores.get(id(resource))
        if store is None:
            form = resource.stored_form
            backend = self.backend.keeping(form) if form else self.backend
            store = self._stores[id(resource)] = (resource.make_store or Store)(resource, backend)
        return store

    def find(self, group: str, version: str, plural: str) -> Store:
        """The store of a resource that is known to be served. Raises KeyError."""
        resource = self.catalog.find(group, version, plural)
        if resource is None:
            raise KeyError(f"{plural}.{version}.{group}")
        return self.store(resource)
