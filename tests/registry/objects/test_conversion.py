from dataclasses import replace

import pytest

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.configmaps.resource import RESOURCE
from memkube.registry.declarations.resource import StoredForm
from memkube.registry.objects.codec import ObjectCodec
from memkube.registry.objects.conversion import ConvertedStorage, each
from memkube.registry.objects.stored import StoredObject
from memkube.storage.memory import MemoryStorage

pytestmark = pytest.mark.anyio
KEY = "/things/default/a"


def thing(**fields: str) -> StoredObject:
    return StoredObject({"kind": "Thing", "apiVersion": "v1", "metadata": {"name": "a"}, **fields})


def _renamed(document: Document, name: str, new_name: str) -> Document:
    return {new_name if key == name else key: value for key, value in document.items()}


FORM = StoredForm(
    RESOURCE,
    to_stored=each(lambda document: _renamed(document, "note", "message")),
    from_stored=each(lambda document: _renamed(document, "message", "note")),
)


class Storages:
    """A storage, and a view of it that converts objects."""

    def __init__(self) -> None:
        self.inner: MemoryStorage[StoredObject] = MemoryStorage(ObjectCodec())
        self.outer = ConvertedStorage(self.inner, FORM)


async def test_objects_are_kept_in_one_form_and_shown_in_the_other() -> None:
    storages = Storages()
    created = await storages.outer.create(KEY, thing(note="n"))
    assert created.document["note"] == "n"
    assert (await storages.inner.get(KEY)).document["message"] == "n"


async def test_readers_share_what_was_converted_once() -> None:
    storages = Storages()
    created = await storages.outer.create(KEY, thing(note="n"))
    (listed,) = (await storages.outer.list("/things/")).values
    assert created is listed is await storages.outer.get(KEY)


async def test_an_update_sees_and_makes_the_shown_form() -> None:
    storages = Storages()
    await storages.inner.create(KEY, thing(message="n"))

    async def change(current: StoredObject) -> StoredObject:
        return StoredObject({**current.document, "note": current.document["note"] + "!"})

    assert (await storages.outer.update(KEY, change)).document["note"] == "n!"
    assert (await storages.inner.get(KEY)).document["message"] == "n!"


async def test_an_update_that_changes_nothing_writes_nothing() -> None:
    storages = Storages()
    await storages.inner.create(KEY, thing(message="n"))
    before = storages.inner.seen

    async def keep(current: StoredObject) -> StoredObject:
        return current

    await storages.outer.update(KEY, keep)
    assert storages.outer.seen == before


async def test_an_update_whose_change_returns_none_keeps_an_outdated_stored_form() -> None:
    storages = Storages()
    # The stored object has the field under both names, which the conversion would never write.
    await storages.inner.create(KEY, thing(message="n", note="old"))
    before = storages.inner.seen

    async def nothing(_: StoredObject) -> None:
        return None

    await storages.outer.update(KEY, nothing)
    assert storages.outer.seen == before


async def test_watchers_see_the_shown_form_of_every_write() -> None:
    storages = Storages()
    watcher = storages.outer.watch("/things/", after=0)
    await storages.inner.create(KEY, thing(message="n"))
    await storages.outer.delete(KEY)
    created, deleted = await watcher.next(timeout=1)
    assert (created.type, created.value.document["note"], created.previous) == ("created", "n", None)
    assert (deleted.type, deleted.value.document["note"]) == ("deleted", "n")


async def test_what_converts_without_loss_is_converted_back_only_for_readers() -> None:
    inner: MemoryStorage[StoredObject] = MemoryStorage(ObjectCodec())
    outer = ConvertedStorage(inner, replace(FORM, is_lossless=True))
    created = await outer.create(KEY, thing(note="n"))
    read = await outer.get(KEY)
    assert created is not read
    assert created.data == read.data
