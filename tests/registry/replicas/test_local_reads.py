from typing import Any

import pytest

from memkube.registry.objects.codec import ObjectCodec
from memkube.registry.objects.stored import StoredObject
from memkube.registry.replicas.local_reads import LocalReads
from memkube.storage.errors import KeyNotFound
from memkube.storage.interface import Page
from memkube.storage.memory import MemoryStorage

pytestmark = pytest.mark.anyio
KEY = "/core/pods/default/a"


class Behind(MemoryStorage[StoredObject]):
    """A storage that counts reads. Its local copy is empty, so that reads must ask the storage itself."""

    asked = 0

    async def get(self, key: str, *, at_least: int | None = None) -> StoredObject:
        if at_least is not None:
            raise KeyNotFound(key, 0)
        self.asked += 1
        return await super().get(key)

    async def list(self, prefix: str, **how: Any) -> Page[StoredObject]:
        self.asked += how["at_least"] is None
        return await super().list(prefix, **how)


async def test_only_what_is_not_known_is_asked_for() -> None:
    storage = Behind(ObjectCodec())
    document = {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "a"}}
    await storage.create(KEY, StoredObject(document))
    at_hand = LocalReads(storage)
    assert (await at_hand.get(KEY)).name == "a"
    assert storage.asked == 1
    assert len((await at_hand.list("/core/")).values) == 1
    assert storage.asked == 1


async def test_a_read_that_may_be_old_is_not_made_new() -> None:
    storage = Behind(ObjectCodec())
    with pytest.raises(KeyNotFound):
        await LocalReads(storage).get(KEY, at_least=0)
    assert storage.asked == 0
