"""What an operator's test does to a cluster: write, wait for what others do, and let time pass."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import yaml

from memkube.server.server import Server

Object = dict[str, Any]


class Cluster:
    """A server with a stepped clock, and the objects in it."""

    def __init__(self, server: Server, client: httpx.Client) -> None:
        self._server = server
        self._client = client

    def advance(self, seconds: float) -> None:
        """Lets time pass for objects, controllers and nodes."""
        self._server.advance(seconds)

    def create(self, path: str, document: str) -> httpx.Response:
        """What the server answers to an object written as YAML."""
        return self._client.post(path, json=yaml.safe_load(document))

    def patch(self, path: str, patch: Object) -> httpx.Response:
        """What the server answers to a merge patch."""
        return self._client.patch(path, json=patch, headers={"content-type": "application/merge-patch+json"})

    def get(self, path: str) -> Object:
        """An object, which must be there."""
        answer: Object = self._client.get(path).raise_for_status().json()
        return answer

    def delete(self, path: str) -> None:
        """Asks for an object to go."""
        self._client.delete(path).raise_for_status()

    def wait_for(self, path: str, holds: Callable[[Object], object]) -> Object:
        """The object as it is once this holds of it. Raises httpx.ReadTimeout where nothing comes of it."""
        for event in self._events(path):
            if event["type"] != "DELETED" and holds(event["object"]):
                changed: Object = event["object"]
                return changed
        raise AssertionError(f"the watch of {path} ended")

    def wait_for_deletion(self, path: str) -> None:
        """Returns once there is no such object. Raises httpx.ReadTimeout where it stays."""
        answer = self._client.get(path)
        if answer.status_code != httpx.codes.NOT_FOUND:
            seen = answer.raise_for_status().json()["metadata"]["resourceVersion"]
            next(event for event in self._events(path, resourceVersion=seen) if event["type"] == "DELETED")

    @contextmanager
    def fault(self, **rule: Any) -> Iterator[None]:
        """Has something go wrong for as long as the block runs, as a rule of the control API says."""
        faults = "/memkube/v1/faults"
        name = self._client.post(faults, json=rule).raise_for_status().json()["name"]
        try:
            yield
        finally:
            self._client.delete(f"{faults}/{name}").raise_for_status()

    def break_watches(self, resource: str, how: str) -> None:
        """Ends all watches of a resource, and forgets what they could be resumed from."""
        self._client.post("/memkube/v1/faults/compact-history").raise_for_status()
        closed = {"match": {"resources": [resource]}, "effect": {"type": "closeWatch", "how": how}}
        self._client.post("/memkube/v1/faults/close-watches", json=closed).raise_for_status()

    def _events(self, path: str, **options: str) -> Iterator[Object]:
        collection, _, name = path.rpartition("/")
        wanted = {"watch": "1", "fieldSelector": f"metadata.name={name}", **options}
        with self._client.stream("GET", collection, params=wanted) as events:
            yield from map(json.loads, events.iter_lines())


@contextmanager
def connected(server: Server) -> Iterator[Cluster]:
    """The cluster of a server, for as long as the block runs."""
    with httpx.Client(base_url=server.url, trust_env=False, timeout=20) as client:
        yield Cluster(server, client)
