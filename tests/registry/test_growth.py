"""Growth of the cost of reads and writes with the number of objects, measured in operations.

Counted are the interpreter's instructions in memkube's own code, at two numbers of objects. They are the same on any
machine.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from types import FrameType
from typing import Any, TypeAlias

import pytest

from memkube.apimachinery import fields, labels
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.registry.declarations.request_options import EVERYTHING, ListOptions, Selection, WatchOptions, WriteContext
from memkube.registry.objects.stored import ObjectList, StoredObject
from memkube.registry.reads.watching import ObjectWatch
from memkube.registry.registry import Registry
from memkube.registry.store import Store
from memkube.server.app import create_core
from memkube.server.settings import Settings

pytestmark = pytest.mark.anyio
FEW, MANY = 600, 6_000
"""Numbers of objects. Both are larger than the number of objects that keep their decoded documents."""
SELECTED = 10
"""Number of pods on each node and with each label value, regardless of the total number of pods."""
Read: TypeAlias = Callable[[Store], Awaitable[Any]]


def by_field(text: str) -> ListOptions:
    return ListOptions(selection=Selection(fields=fields.parse(text)))


def by_label(text: str) -> ListOptions:
    return ListOptions(selection=Selection(labels=labels.parse(text)))


@asynccontextmanager
async def pods(count: int) -> AsyncIterator[Store]:
    """A store with `count` pods, in namespaces of ten pods."""
    registry = create_core(Settings(admission_plugins=())).parts.registry
    try:
        await fill(registry, count)
        yield registry.find("", "v1", "pods")
    finally:
        registry.close()


async def place(store: Store, number: int) -> None:
    document = pod(number)
    key = store.key(document["metadata"]["namespace"], document["metadata"]["name"])
    await store.backend.storage.create(key, StoredObject(document))


async def fill(registry: Registry, count: int) -> None:
    store = registry.find("", "v1", "pods")
    for number in range(count):
        await place(store, number)


def pod(number: int) -> dict[str, Any]:
    group = number // SELECTED
    name = {"name": f"pod-{number:05}", "namespace": f"ns-{group:04}", "labels": {"app": f"app-{group}"}}
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": f"uid-{group}", "controller": True}
    return {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": {**name, "ownerReferences": [owner]},
        "spec": {
            "nodeName": f"node-{group}",
            "containers": [
                {
                    "name": "app",
                    "image": "web",
                    "terminationMessagePath": "/dev/termination-log",
                    "terminationMessagePolicy": "File",
                    "imagePullPolicy": "Always",
                }
            ],
            "restartPolicy": "Always",
            "terminationGracePeriodSeconds": 30,
            "dnsPolicy": "ClusterFirst",
        },
        "status": {"phase": "Pending"},
    }


async def counted(work: Awaitable[Any]) -> int:
    """Run a coroutine, and return the number of instructions executed in memkube's own code."""
    steps = 0

    def step(_: FrameType, event: str, __: object) -> Any:
        nonlocal steps
        steps += event == "opcode"
        return step

    def begin(frame: FrameType, _: str, __: object) -> Any:
        frame.f_trace_opcodes = "memkube" in frame.f_code.co_filename
        return step if frame.f_trace_opcodes else None

    before = sys.gettrace()
    sys.settrace(begin)
    try:
        await work
    finally:
        sys.settrace(before)
    return steps


async def growth(read: Read) -> float:
    """Return the ratio of the instructions with ten times as many pods. Indices are built before the measurement."""
    taken = []
    for count in (FEW, MANY):
        async with pods(count) as store:
            await read(store)
            await touch(store)
            taken.append(await counted(read(store)))
    return taken[1] / taken[0]


async def touch(store: Store, number: int = 0, note: str = "touched") -> None:
    """Change a pod's annotation, which no selector selects."""

    def change(obj: Any) -> None:
        obj.metadata.annotations = {"note": note}

    of = pod(number)["metadata"]
    await store.update(of["name"], change, WriteContext(namespace=of["namespace"]))


@pytest.mark.parametrize(
    "options",
    [
        by_field("spec.nodeName=node-3"),
        by_field("metadata.name=pod-00003"),
        by_field("status.phase!=Pending"),
        by_label("app=app-3"),
        by_label("app in (app-3)"),
        by_label("app=app-3,other!=here"),
        ListOptions(limit=SELECTED),
        ListOptions(limit=SELECTED, selection=Selection(labels=labels.parse("!other"))),
    ],
)
async def test_a_list_does_not_cost_more_where_there_is_more_that_it_does_not_show(options: ListOptions) -> None:
    assert await growth(lambda store: store.list("", options)) < 1.5


async def test_a_list_of_a_namespace_does_not_cost_more_where_there_are_more_namespaces() -> None:
    assert await growth(lambda store: store.list("ns-0003", EVERYTHING)) < 1.5
    assert await growth(lambda store: store.list("ns-0003", by_label("app=app-3"))) < 1.5


async def test_the_first_watch_of_a_node_does_not_look_at_all_pods() -> None:
    async def watch(store: Store) -> None:
        selection = Selection(fields=fields.parse("spec.nodeName=node-3"))
        watching = store.watch("", WatchOptions(selection=selection))
        await watching.start()
        seen = 0
        while events := await watching.next(0):
            seen += len(events)
        assert seen == SELECTED

    assert await growth(watch) < 1.5


async def all_pages(store: Store, selection: Selection, *, written: bool) -> int:
    """Read all pages of a list, optionally with a write between them, and return the number of objects."""
    token, found = "", 0
    while True:
        page: ObjectList = await store.list("", ListOptions(selection, 20, token))
        found, token = found + len(page.items), page.continue_token
        if not token:
            return found
        if written:
            await touch(store, found // 2, note=str(found))


@pytest.mark.parametrize("selector", ["", "!other"])
async def test_a_page_costs_the_same_wherever_it_stands(selector: str) -> None:
    selection = Selection(labels=labels.parse(selector)) if selector else Selection()
    assert await growth(lambda store: all_pages(store, selection, written=False)) < 15


async def test_a_page_costs_the_same_where_others_write_meanwhile() -> None:
    async def read(store: Store) -> None:
        assert await all_pages(store, Selection(), written=True) in (FEW, MANY)

    assert await growth(read) < 15


async def test_a_page_of_an_older_revision_looks_at_what_it_shows_and_what_has_changed() -> None:
    taken = []
    for count in (FEW, MANY):
        async with pods(count) as store:
            first = await store.list("", ListOptions(limit=10))
            await touch(store, 3)
            rest = ListOptions(limit=10, continue_token=first.continue_token)
            taken.append(await counted(store.list("", rest)))
    assert taken[1] <= taken[0] * 1.1


@pytest.mark.parametrize("write", ["create", "update", "delete"])
async def test_a_write_costs_the_same_however_much_there_is(write: str) -> None:
    taken = []
    for count in (FEW, MANY):
        async with pods(count) as store:
            await store.list("", by_label("app=app-3"))
            await touch(store, 5)
            await touch(store, 9, "first")
            of = pod(9)["metadata"]
            work: Awaitable[Any]
            if write == "create":
                # The first create in a namespace looks up its quotas and limits, so it is not measured.
                await place(store, count + 1)
                work = place(store, count)
            elif write == "update":
                work = touch(store, 9, "second")
            else:
                context = WriteContext(namespace=of["namespace"])
                work = store.delete(of["name"], DeleteOptions(gracePeriodSeconds=0), context)
            taken.append(await counted(work))
    assert taken[1] <= taken[0] * 1.1


async def sleeping(store: Store, namespace: str, selection: Selection, woken: list[str]) -> ObjectWatch:
    """A watch that waits, and records when it is woken."""
    watch = store.watch(namespace, WatchOptions(selection, resource_version="1"))
    await watch.start()
    while watch.revision < await store.backend.storage.current_revision():
        await watch.next(0)
    watch.call_when_ready(lambda: woken.append(namespace))
    return watch


def watched(kind: str, number: int) -> tuple[str, Selection]:
    """Return the namespace and selection of one of many watchers. Each watcher selects other objects."""
    match kind:
        case "namespaces":
            return f"ns-{number:04}", Selection()
        case "nodes":
            return "", Selection(fields=fields.parse(f"spec.nodeName=node-{number}"))
        case "names":
            return "ns-0000", Selection(fields=fields.parse(f"metadata.name=pod-{number:05}"))
        case _:
            return "", Selection(labels=labels.parse(f"app=app-{number},tier!=back"))


@pytest.mark.parametrize("kind", ["namespaces", "nodes", "names", "labels"])
async def test_a_write_wakes_the_watchers_that_want_it_alone(kind: str) -> None:
    taken = []
    for count in (10, 1_000):
        async with pods(20) as store:
            woken: list[str] = []
            watches = [await sleeping(store, *watched(kind, number), woken) for number in range(count)]
            await touch(store, 0, "first")
            taken.append(await counted(touch(store, 0, "second")))
            await asyncio.sleep(0)
            assert len(woken) == 1
            assert len(watches) == count
    assert taken[1] <= taken[0] * 1.1
