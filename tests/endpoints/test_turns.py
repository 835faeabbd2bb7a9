"""Other requests are answered while the server handles an expensive one."""

import threading
from collections.abc import Callable, Iterator

import httpx
import pytest

from memkube.registry.objects.stored import StoredObject
from memkube.registry.store import Store
from memkube.server.server import Server
from memkube.server.settings import Settings

COUNT = 4_000
MAPS = "/api/v1/namespaces/default/configmaps"
WATCH = {"watch": "1", "sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "timeoutSeconds": "1"}
TABLE = {"accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
PROTOBUF = {"accept": "application/vnd.kubernetes.protobuf"}
AROUND = 2
"""Number of responses to another client if the event loop is blocked throughout.

One comes before the expensive request has arrived, and one after it is finished. On a busy machine, the other client
may not get more responses, so the tests make several attempts.
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server with many objects."""
    with Server(Settings(controllers=())).in_thread() as running:
        running.answer(fill(running.registry.find("", "v1", "configmaps")))
        yield running


async def fill(store: Store) -> None:
    """Write objects directly to storage, because creating them takes longer than the tests."""
    for number in range(COUNT):
        name = {"name": f"map-{number}", "namespace": "default", "uid": f"uid-{number}", "labels": {"a": "b"}}
        metadata = {**name, "creationTimestamp": "2026-01-01T00:00:00Z"}
        document = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata, "data": {"text": "x" * 1000}}
        await store.backend.storage.create(store.key("default", f"map-{number}"), StoredObject(document))


def answered_meanwhile(server: Server, work: Callable[[httpx.Client], object]) -> int:
    """Return the number of responses to another client during one request."""
    done = threading.Event()
    answered = 0
    with httpx.Client(base_url=server.url, trust_env=False, timeout=60) as busy:

        def run() -> None:
            work(busy)
            done.set()

        with httpx.Client(base_url=server.url, trust_env=False, timeout=60) as other:
            other.get("/livez")
            thread = threading.Thread(target=run)
            thread.start()
            while not done.is_set():
                other.get("/livez").raise_for_status()
                answered += 1
            thread.join()
    return answered


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(lambda client: client.get(MAPS, params={"labelSelector": "!a"}), id="a selection"),
        pytest.param(lambda client: client.get(MAPS), id="a list"),
        pytest.param(lambda client: client.get(MAPS, headers=TABLE), id="a table"),
        pytest.param(lambda client: client.get(MAPS, headers=PROTOBUF), id="a list in protobuf"),
        pytest.param(lambda client: client.get(MAPS, params=WATCH), id="initial events"),
        pytest.param(lambda client: client.delete(MAPS), id="a deletion of a collection"),
    ],
)
def test_others_are_answered_in_between(server: Server, work: Callable[[httpx.Client], object]) -> None:
    assert any(answered_meanwhile(server, work) > AROUND for _ in range(20)), "the loop was held throughout"
