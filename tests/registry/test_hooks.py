"""A kind whose hooks reserve a number before a write and release it afterwards, as for cluster IPs and quota."""

from dataclasses import replace

import pytest

from memkube.apimachinery.errors import ApiError, forbidden
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.meta.v1.unstructured import Unstructured
from memkube.registry.declarations.admission import AdmitAll, Attributes, refused
from memkube.registry.declarations.custom import CustomNames, CustomVersion, custom_resources
from memkube.registry.declarations.interface import Finish, Stores
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.strategy import Strategy
from memkube.registry.objects.stored import StoredObject
from memkube.registry.registry import Registry
from memkube.registry.store import Store
from memkube.server.app import create_core
from memkube.server.settings import Settings

pytestmark = pytest.mark.anyio
NAMES = CustomNames("example.com", "Slot", "slots", "slot", namespaced=False)
SCHEMA = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
CONTEXT = WriteContext()


class Reserving(Strategy[Unstructured]):
    """A strategy that reserves the number that each object requests."""

    def __init__(self) -> None:
        self.held: set[int] = set()

    async def begin_create(self, stores: Stores, obj: Unstructured, context: WriteContext) -> Finish | None:
        return self._reserve(obj.content["number"])

    async def begin_update(
        self, stores: Stores, new: Unstructured, old: Unstructured, context: WriteContext
    ) -> Finish | None:
        wanted, had = new.content["number"], old.content["number"]
        if wanted == had:
            return None
        reserved = self._reserve(wanted)

        async def finish(written: bool) -> None:
            await reserved(written)
            if written:
                self.held.discard(had)

        return finish

    async def after_delete(self, stores: Stores, last: StoredObject, context: WriteContext) -> None:
        self.held.discard(last.document["number"])

    def _reserve(self, number: int) -> Finish:
        if number in self.held:
            raise forbidden(RESOURCE_NAME, "", f"{number} is taken")
        self.held.add(number)

        async def finish(written: bool) -> None:
            if not written:
                self.held.discard(number)

        return finish


class RefuseLast(AdmitAll):
    async def validate(self, attributes: Attributes) -> None:
        raise refused(attributes, "not today")


class Slots:
    def __init__(self) -> None:
        self.strategy = Reserving()
        (resource,) = custom_resources(NAMES, [CustomVersion("v1", SCHEMA)], stored="v1")
        registry: Registry = create_core(Settings()).parts.registry
        resource = replace(resource, strategy=self.strategy)
        registry.catalog.add(resource)
        self.store: Store = registry.store(resource)

    async def create(self, name: str, number: int, context: WriteContext = CONTEXT) -> None:
        await self.store.create(Unstructured.from_document({"metadata": {"name": name}, "number": number}), context)

    async def change(self, name: str, number: int) -> None:
        await self.store.update(name, lambda slot: slot.set_field("number", number), CONTEXT)

    def refuse(self) -> None:
        self.store.backend = replace(self.store.backend, admission=RefuseLast())


RESOURCE_NAME = Slots().store.resource.group_resource


async def test_a_creation_keeps_what_it_reserved() -> None:
    slots = Slots()
    await slots.create("a", 1)
    assert slots.strategy.held == {1}


async def test_a_hook_may_refuse_a_creation() -> None:
    slots = Slots()
    await slots.create("a", 1)
    with pytest.raises(ApiError, match="1 is taken"):
        await slots.create("b", 1)


async def test_a_creation_that_is_refused_later_gives_back_what_it_reserved() -> None:
    slots = Slots()
    slots.refuse()
    with pytest.raises(ApiError, match="not today"):
        await slots.create("a", 1)
    assert slots.strategy.held == set()


async def test_a_creation_under_a_name_that_is_taken_gives_back_what_it_reserved() -> None:
    slots = Slots()
    await slots.create("a", 1)
    with pytest.raises(ApiError, match="already exists"):
        await slots.create("a", 2)
    assert slots.strategy.held == {1}


async def test_a_change_gives_back_what_was_held_before() -> None:
    slots = Slots()
    await slots.create("a", 1)
    await slots.change("a", 2)
    assert slots.strategy.held == {2}


async def test_a_change_that_is_refused_later_keeps_what_was_held_before() -> None:
    slots = Slots()
    await slots.create("a", 1)
    slots.refuse()
    with pytest.raises(ApiError, match="not today"):
        await slots.change("a", 2)
    assert slots.strategy.held == {1}


async def test_a_deletion_gives_back_what_was_held() -> None:
    slots = Slots()
    await slots.create("a", 1)
    await slots.store.delete("a", DeleteOptions(), CONTEXT)
    assert slots.strategy.held == set()


async def test_a_terminating_object_gives_it_back_with_its_last_finalizer() -> None:
    slots = Slots()
    await slots.create("a", 1)
    await slots.store.update("a", lambda slot: slot.metadata.finalizers.append("example.com/hold"), CONTEXT)
    await slots.store.delete("a", DeleteOptions(), CONTEXT)
    assert slots.strategy.held == {1}
    await slots.store.update("a", lambda slot: slot.metadata.finalizers.clear(), CONTEXT)
    assert slots.strategy.held == set()
