"""Discovery documents of extension API servers in the discovery of this server."""

import json
import time
from pathlib import Path

import httpx
from starlette.types import Receive, Scope, Send

from memkube.server.server import Server
from memkube.server.settings import Settings
from tests.endpoints.aggregation.conftest import delegate
from tests.endpoints.aggregation.echo import Echo
from tests.endpoints.aggregation.extension import GROUP, api_service, listening, register, settled

_AGGREGATED = {"Accept": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}


class _StartingServer(Echo):
    """An extension API server whose answers are empty until it has started."""

    def __init__(self) -> None:
        super().__init__()
        self.has_started = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self.has_started:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b""})
            return
        await super().__call__(scope, receive, send)


def _resources(client: httpx.Client) -> list[str]:
    groups = client.get("/apis", headers=_AGGREGATED).json()["items"]
    versions = [version for group in groups if group["metadata"]["name"] == GROUP for version in group["versions"]]
    return [resource["resource"] for version in versions for resource in version.get("resources", [])]


class _AggregatedServer(Echo):
    """An extension API server with an aggregated discovery document, which lacks kinds."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == "/apis":
            thing = {
                "resource": "things",
                "verbs": ["get"],
                "subresources": [{"subresource": "status", "verbs": ["get"]}],
            }
            group = {"metadata": {"name": GROUP}, "versions": [{"version": "v1", "resources": [thing]}]}
            headers = [(b"content-type", _AGGREGATED["Accept"].encode())]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": json.dumps({"items": [group]}).encode()})
            return
        await super().__call__(scope, receive, send)


def test_missing_kinds_in_aggregated_discovery_are_empty(tmp_path: Path) -> None:
    with (
        listening(_AggregatedServer(), tmp_path) as extension,
        Server(Settings(controllers=())).in_thread() as server,
        httpx.Client(base_url=server.url, trust_env=False) as client,
    ):
        delegate(client, extension)
        groups = client.get("/apis", headers=_AGGREGATED).json()["items"]
    [group] = [each for each in groups if each["metadata"]["name"] == GROUP]
    no_kind = {"group": "", "version": "", "kind": ""}
    status = {"subresource": "status", "responseKind": no_kind, "verbs": ["get"]}
    assert group["versions"][0]["resources"] == [
        {
            "resource": "things",
            "responseKind": no_kind,
            "scope": "",
            "singularResource": "",
            "verbs": ["get"],
            "subresources": [status],
        }
    ]


def test_discovery_that_failed_is_soon_fetched_again(tmp_path: Path) -> None:
    application = _StartingServer()
    with (
        listening(application, tmp_path) as extension,
        Server(Settings(controllers=())).in_thread() as server,
        httpx.Client(base_url=server.url, trust_env=False) as client,
    ):
        register(client, extension)
        body = api_service(caBundle=extension.ca_bundle)
        client.post("/apis/apiregistration.k8s.io/v1/apiservices", json=body).raise_for_status()
        settled(client, body["metadata"]["name"])
        application.has_started = True
        deadline = time.monotonic() + 20
        while not (found := _resources(client)) and time.monotonic() < deadline:
            pass
    assert found == ["things"]
