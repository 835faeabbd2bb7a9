"""What a server knows that is no object: the keys of its tokens, rules for containers, who listens behind services.

It lies in storage beside the objects, under keys that no resource has, so that it outlives the server where the
objects do, and every server on the same storage knows it. Kubernetes gives such things to each server as files.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final, NamedTuple, TypeAlias

from memkube.apimachinery.model import Document
from memkube.registry.objects.stored import StoredObject
from memkube.storage.errors import KeyExists, KeyNotFound, RevisionCompacted, StorageClosed
from memkube.storage.interface import Storage

Follower: TypeAlias = Callable[[str, Document | None], None]
"""Is told of a name and what is known of it; None where that is nothing any more."""
PREFIX: Final = "memkube/"
"""Keys of objects begin with a slash: who lists or watches those sees nothing of this."""
_KIND: Final = {"kind": "State", "apiVersion": "memkube.dev/v1"}


class Place(NamedTuple):
    """Where a document stands: what it is about, and what it goes by."""

    topic: str
    name: str

    @property
    def key(self) -> str:
        """Its key in storage."""
        return f"{PREFIX}{self.topic}/{self.name}"

    @classmethod
    def of(cls, key: str) -> "Place":
        """The place behind a key."""
        topic, _, name = key.removeprefix(PREFIX).partition("/")
        return cls(topic, name)


class SharedState:
    """Documents by topic and name. What one server writes, it knows at once, and the others soon.

    Reading costs a look into a dictionary; where nobody writes, storage is asked once, at the start.
    """

    def __init__(self, storage: Storage[StoredObject]) -> None:
        self._storage = storage
        self._known: dict[Place, Document] = {}
        self._revisions: dict[Place, int] = {}
        self._followers: dict[str, list[Follower]] = {}
        self._following: asyncio.Task[None] | None = None

    async def begin(self, *, shared: bool = False) -> None:
        """Takes up what storage holds; what other servers write from now on too, where storage is `shared`."""
        revision = await self._list()
        if shared and self._following is None:
            self._following = asyncio.create_task(self._follow(revision))

    async def end(self) -> None:
        """Follows others no more."""
        following, self._following = self._following, None
        if following is not None:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)

    def get(self, topic: str, name: str) -> Document | None:
        """What is known under a name; nobody may change it."""
        return self._known.get(Place(topic, name))

    def items(self, topic: str) -> dict[str, Document]:
        """Everything that is known of a topic, by name."""
        return {place.name: self._known[place] for place in sorted(self._known) if place.topic == topic}

    def follow(self, topic: str, follower: Follower) -> Callable[[], None]:
        """Tells `follower` all that is known of a topic and every change, until what is returned is called."""
        followers = self._followers.setdefault(topic, [])
        for name, value in self.items(topic).items():
            follower(name, value)
        followers.append(follower)
        return lambda: followers.remove(follower)

    async def put(self, topic: str, name: str, value: Document) -> None:
        """Writes a document, in place of the one that is there."""
        place = Place(topic, name)
        entry = _entry(name, value)

        async def replaced(_: StoredObject) -> StoredObject:
            return entry

        while True:
            with suppress(KeyExists):
                self._take(place, await self._storage.create(place.key, entry))
                return
            with suppress(KeyNotFound):
                self._take(place, await self._storage.update(place.key, replaced))
                return

    async def first(self, topic: str, name: str, value: Document) -> Document:
        """Writes a document where there is none; what is there then, be it another server's."""
        place = Place(topic, name)
        with suppress(KeyExists):
            self._take(place, await self._storage.create(place.key, _entry(name, value)))
            return value
        return await self.newest(topic, name) or await self.first(topic, name, value)

    async def newest(self, topic: str, name: str) -> Document | None:
        """What storage holds under a name, which is asked for it."""
        place = Place(topic, name)
        with suppress(KeyNotFound):
            self._take(place, await self._storage.get(place.key))
        return self._known.get(place)

    async def delete(self, topic: str, name: str) -> None:
        """Removes a document; harmless where there is none."""
        place = Place(topic, name)
        with suppress(KeyNotFound):
            deleted = await self._storage.delete(place.key)
            self._drop(place, int(deleted.resource_version))

    async def replace(self, topic: str, values: Mapping[str, Document]) -> None:
        """Has a topic hold these documents and no others; those that are there already are not written."""
        known = self.items(topic)
        for name in known.keys() - values.keys():
            await self.delete(topic, name)
        for name, value in values.items():
            if known.get(name) != value:
                await self.put(topic, name, value)

    def all(self) -> dict[Place, Document]:
        """Everything that is known."""
        return dict(self._known)

    async def write_again(self, known: Mapping[Place, Document]) -> None:
        """Writes what a restore has taken from storage, which holds the objects of another time."""
        self._revisions.clear()
        for place, value in known.items():
            await self.put(*place, value)

    async def _list(self) -> int:
        """Takes over all that storage holds; what it lacks is gone."""
        page = await self._storage.list(PREFIX)
        found = dict(zip(page.keys, page.values, strict=True))
        for place in self._known.keys() - {Place.of(key) for key in found}:
            self._drop(place, page.revision)
        for key, stored in found.items():
            self._take(Place.of(key), stored)
        return page.revision

    async def _follow(self, revision: int) -> None:
        """Takes over what others write."""
        watcher = self._storage.watch(PREFIX, after=revision)
        while True:
            try:
                for event in await watcher.next():
                    if event.type == "deleted":
                        self._drop(Place.of(event.key), event.revision)
                    else:
                        self._take(Place.of(event.key), event.value)
            except RevisionCompacted:
                watcher = self._storage.watch(PREFIX, after=await self._list())
            except StorageClosed:
                return

    def _take(self, place: Place, stored: StoredObject) -> None:
        revision, value = int(stored.resource_version), stored.document["value"]
        if revision <= self._revisions.get(place, 0):
            return
        self._revisions[place] = revision
        if self._known.get(place) != value:
            self._known[place] = value
            self._tell(place, value)

    def _drop(self, place: Place, revision: int) -> None:
        if revision <= self._revisions.get(place, 0):
            return
        # An older revision that comes late, by the watch, is not taken for news.
        self._revisions[place] = revision
        if self._known.pop(place, None) is not None:
            self._tell(place, None)

    def _tell(self, place: Place, value: Document | None) -> None:
        for follower in list(self._followers.get(place.topic, ())):
            follower(place.name, value)


def _entry(name: str, value: Document) -> StoredObject:
    return StoredObject({**_KIND, "metadata": {"name": name, "resourceVersion": ""}, "value": value})
