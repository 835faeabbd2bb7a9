"""Lists that use an index or are made in pieces are equal to lists that examine every object."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import pytest

from memkube.apimachinery import fields, labels
from memkube.apimachinery.errors import ApiError
from memkube.registry.declarations.request_options import ListOptions, Selection
from memkube.registry.objects.stored import StoredObject
from memkube.registry.store import Store
from memkube.server.app import create_core
from memkube.server.settings import Settings

pytestmark = pytest.mark.anyio
COUNT = 700
Objects: TypeAlias = Sequence[StoredObject]
SELECTORS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "fields:type=a": lambda d: d["type"] == "a",
    "fields:type!=a": lambda d: d["type"] != "a",
    "fields:type=a,metadata.name!=s-0002": lambda d: d["type"] == "a" and d["metadata"]["name"] != "s-0002",
    "fields:metadata.name=s-0600": lambda d: d["metadata"]["name"] == "s-0600",
    "labels:rare=1": lambda d: d["metadata"]["labels"].get("rare") == "1",
    "labels:rare": lambda d: "rare" in d["metadata"]["labels"],
    "labels:!rare,even in (1)": lambda d: (
        "rare" not in d["metadata"]["labels"] and d["metadata"]["labels"]["even"] == "1"
    ),
    "labels:rare=": lambda d: d["metadata"]["labels"].get("rare") == "",
    "labels:none=1": lambda _: False,
}


def secret(number: int, kind: str = "") -> dict[str, Any]:
    marks = {"even": str(number % 2), **({"rare": "1"} if number % 90 == 3 else {})}
    metadata = {"name": f"s-{number:04}", "namespace": f"ns-{number % 3}", "labels": marks}
    return {"kind": "Secret", "apiVersion": "v1", "metadata": metadata, "type": kind or "aabc"[number % 4]}


def selection(selector: str) -> Selection:
    which, _, text = selector.partition(":")
    return Selection(labels=labels.parse(text)) if which == "labels" else Selection(fields=fields.parse(text))


async def place(store: Store, document: dict[str, Any]) -> None:
    key = store.key(document["metadata"]["namespace"], document["metadata"]["name"])
    await store.backend.storage.create(key, StoredObject(document))


async def filled() -> Store:
    store = create_core(Settings(admission_plugins=())).parts.registry.find("", "v1", "secrets")
    for number in range(COUNT):
        await place(store, secret(number))
    return store


def expected_pages(objects: Objects, selector: str, limit: int) -> list[list[str]]:
    """Return the names on each page. A page ends when it is full, and another page follows if any object is left."""
    pages, page = [], list[str]()
    for at, stored in enumerate(objects):
        if SELECTORS[selector](stored.document):
            page.append(stored.name)
            if len(page) == limit and at < len(objects) - 1:
                pages.append(page)
                page = []
    return [*pages, page]


@pytest.mark.parametrize("selector", SELECTORS)
@pytest.mark.parametrize("limit", [0, 1, 7, 400])
async def test_pages_of_a_selection(selector: str, limit: int) -> None:
    store = await filled()
    objects, revision = await store.all(), store.backend.storage.seen
    pages, token = list[list[str]](), ""
    while True:
        listed = await store.list("", ListOptions(selection(selector), limit, token))
        pages.append([stored.name for stored in listed.items])
        assert listed.revision == revision or limit == 0 or "metadata.name" in selector
        token = listed.continue_token
        if not token:
            break
        # An object that is created between two pages is on no page.
        await place(store, secret(COUNT + len(pages), "a"))
    assert pages == expected_pages(objects, selector, limit)


async def test_a_page_of_a_selection_needs_no_history() -> None:
    store = create_core(Settings(admission_plugins=(), history=1)).parts.registry.find("", "v1", "secrets")
    for number in range(COUNT):
        await place(store, secret(number))
    listed = await store.list("", ListOptions(selection("labels:rare"), 8))
    assert [stored.name for stored in listed.items] == [f"s-{number:04}" for number in range(3, COUNT, 90)]


async def test_the_rest_of_a_selection_is_refused_where_history_is_gone() -> None:
    store = await filled()
    first = await store.list("", ListOptions(selection("fields:type=a"), 2))
    await store.backend.storage.compact(store.backend.storage.seen)
    await place(store, secret(COUNT))
    await store.backend.storage.compact(store.backend.storage.seen)
    with pytest.raises(ApiError) as refused:
        await store.list("", ListOptions(selection("fields:type=a"), 2, first.continue_token))
    assert refused.value.code == 410
