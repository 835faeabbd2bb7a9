from collections.abc import Iterator

import httpx
import pytest

from memkube.server.server import Server
from memkube.server.settings import Settings

_WHY = "admission control is denying all modifications"


@pytest.fixture(scope="module")
def denied() -> Iterator[httpx.Client]:
    """A client of a server with AlwaysDeny, which rejects even the creation of its own namespaces."""
    with (
        Server(Settings(controllers=(), admission_plugins=("AlwaysDeny",))).in_thread() as running,
        httpx.Client(base_url=running.url, trust_env=False) as connected,
    ):
        yield connected


@pytest.mark.parametrize(
    ("path", "body", "named"),
    [
        ("/api/v1/namespaces", {"metadata": {"name": "a"}}, 'namespaces "a"'),
        ("/api/v1/nodes", {"metadata": {"generateName": "a-"}}, 'nodes "a-"'),
        ("/api/v1/namespaces/a/pods/web/exec?command=ls", None, 'pods "web"'),
        ("/api/v1/namespaces/a/pods/web/eviction", {"metadata": {"name": "web"}}, 'pods "web"'),
    ],
)
def test_nothing_is_written_and_nobody_is_connected(denied: httpx.Client, path: str, body: object, named: str) -> None:
    refused = denied.post(path, json=body)
    assert (refused.status_code, refused.json()["message"]) == (403, f"{named} is forbidden: {_WHY}")


def test_reads_are_not_denied(denied: httpx.Client) -> None:
    assert denied.get("/api/v1/namespaces").json()["items"] == []
    assert denied.get("/api/v1/namespaces/a/pods/web/log").status_code == 404
