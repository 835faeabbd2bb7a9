import pytest

from memkube.controllers.framework.informer import Informer
from memkube.controllers.framework.informers import Informers
from memkube.registry.objects.stored import StoredObject
from tests.controllers.cluster import Cluster, config_map, running, widgets

WIDGET = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}}

pytestmark = pytest.mark.anyio


class Log:
    """Records the calls of an informer's handler: names, with the old and the new state of the object."""

    def __init__(self) -> None:
        self.changes: list[str] = []

    def __call__(self, old: StoredObject | None, new: StoredObject | None) -> None:
        stored = new or old
        assert stored is not None
        sort = "added" if old is None else "removed" if new is None else "changed"
        self.changes.append(f"{sort} {stored.name}")


async def followed(cluster: Cluster) -> tuple[Informers, Informer, Log]:
    informers, log = Informers(cluster.registry), Log()
    informer = informers.of("", "v1", "configmaps")
    informer.subscribe(log)
    await informers.start()
    return informers, informer, log


async def test_a_handler_is_told_of_what_is_there_and_of_every_change() -> None:
    async with running() as cluster:
        await cluster.create(config_map("a"))
        informers, _, log = await followed(cluster)
        await cluster.create(config_map("b"))
        await cluster.change("configmaps", "a", data={"k": "v"})
        await cluster.delete("configmaps", "b")
        assert log.changes == ["added a", "added b", "changed a", "removed b"]
        await informers.stop()


async def test_a_handler_that_comes_late_is_told_of_what_is_known() -> None:
    async with running() as cluster:
        await cluster.create(config_map("a"))
        informers, informer, _ = await followed(cluster)
        late = Log()
        informer.subscribe(late)
        assert late.changes == ["added a"]
        await informers.stop()


async def test_objects_can_be_looked_up() -> None:
    async with running() as cluster:
        informers, informer, _ = await followed(cluster)
        stored = await cluster.create(config_map("a"))
        assert informer.get("default", "a") is stored
        assert informer.get("default", "b") is None
        assert list(informer.in_namespace("default")) == ["a"]
        await informers.stop()


async def test_an_object_made_again_under_its_name_is_another() -> None:
    async with running() as cluster:
        informers, _, log = await followed(cluster)
        store = cluster.store("configmaps")
        await cluster.create(config_map("a"))
        # The object is deleted and created again before the informer runs.
        await store.backend.storage.delete(store.key("default", "a"))
        await cluster.create(config_map("a"))
        assert log.changes == ["added a", "removed a", "added a"]
        await informers.stop()


async def test_lost_history_leads_to_a_new_list() -> None:
    async with running() as cluster:
        await cluster.create(config_map("a"))
        await cluster.create(config_map("b"))
        informers, _, log = await followed(cluster)
        storage = cluster.registry.backend.storage
        store = cluster.store("configmaps")
        await storage.delete(store.key("default", "a"))
        await storage.compact(storage.seen)
        await cluster.create(config_map("c"))
        assert log.changes == ["added a", "added b", "added c", "removed a"]
        await informers.stop()


async def test_a_mistake_of_one_handler_does_not_keep_others_from_their_news() -> None:
    async with running() as cluster:
        informer, log = Informer(), Log()

        def stumble(old: StoredObject | None, new: StoredObject | None) -> None:
            raise RuntimeError("a bug")

        informer.subscribe(stumble)
        informer.subscribe(log)
        informer.put(await cluster.create(config_map("a")))
        assert log.changes == ["added a"]


async def test_a_resource_is_followed_from_when_it_is_served() -> None:
    async with running() as cluster:
        informers = Informers(cluster.registry)
        await informers.start()
        informer = informers.of("example.com", "v1", "widgets")
        cluster.registry.catalog.add(widgets("example.com", "Widget"))
        await cluster.create(WIDGET)
        assert [stored.name for stored in informer] == ["w"]
        await informers.stop()


async def test_informers_are_shared() -> None:
    async with running() as cluster:
        informers = Informers(cluster.registry)
        assert informers.of("", "v1", "pods") is informers.of("", "v1", "pods")
