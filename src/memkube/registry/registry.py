"""Every store of a server."""

from dataclasses import replace
from typing import Any, TypeVar

from memkube.registry.backend import Backend
from memkube.registry.catalog import Catalog
from memkube.registry.expiring import ExpiringStorage
from memkube.registry.resource import Resource, Subresource
from memkube.registry.store import Store
from memkube.registry.view import ViewStore

P = TypeVar("P")


class Registry:
    """Finds the store of a resource. What a program in this process calls instead of HTTP.

    What some part of the server provides for others, such as the nodes behind pods, is found here too, by its
    protocol: kinds may ask for it without knowing who provides it, and whether anybody does.
    """

    def __init__(self, catalog: Catalog, backend: Backend) -> None:
        self.catalog = catalog
        self.backend = backend
        self._stores: dict[int, Store] = {}
        self._expiring: dict[str, Backend] = {}
        self._provided: dict[type, Any] = {}

    def store(self, resource: Resource) -> Store:
        """The store of a resource; the same one each time."""
        store = self._stores.get(id(resource))
        if store is None:
            form = resource.stored_form
            backend = self._backend_of(resource.kept_as)
            backend = backend.keeping(form) if form else backend
            store = self._stores[id(resource)] = (resource.make_store or Store)(resource, backend)
        return store

    def _backend_of(self, kept: Resource) -> Backend:
        """What keeps the objects of a resource, whichever resource they are reached through."""
        if kept.time_to_live is None:
            return self.backend
        if kept.key_prefix not in self._expiring:
            storage = ExpiringStorage(self.backend.storage, kept.time_to_live, self.backend.clock)
            self._expiring[kept.key_prefix] = replace(self.backend, storage=storage)
        return self._expiring[kept.key_prefix]

    def seen_through(self, resource: Resource, subresource: Subresource | None) -> Store:
        """The store of what get, update and patch show at a subresource, or at an object itself."""
        store = self.store(resource)
        return ViewStore(store, subresource, subresource.view) if subresource and subresource.view else store

    def find(self, group: str, version: str, plural: str) -> Store:
        """The store of a resource that is known to be served. Raises KeyError."""
        resource = self.catalog.find(group, version, plural)
        if resource is None:
            raise KeyError(f"{plural}.{version}.{group}")
        return self.store(resource)

    def provide(self, protocol: type[P], provider: P) -> None:
        """Lets others find the provider of a protocol."""
        self._provided[protocol] = provider

    def provided(self, protocol: type[P]) -> P | None:
        """The provider of a protocol, if there is one."""
        provider: P | None = self._provided.get(protocol)
        return provider
