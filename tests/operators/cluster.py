"""The cluster of an operator's test: writing objects, waiting for changes, and advancing the clock."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import yaml

from memkube.server.server import Server

Object = dict[str, Any]


class Cluster:
    """A server with a stepped clock, and its objects."""

    def __init__(self, server: Server, client: httpx.Client) -> None:
        self._server = server
        self._client = client

    def advance(self, seconds: float) -> None:
        """Advance the clock for objects, controllers and nodes."""
        self._server.advance(seconds)

    def create(self, path: str, document: str) -> httpx.Response:
        """Create an object that is written as YAML, and return the response."""
        return self._client.post(path, json=yaml.safe_load(document))

    def patch(self, path: str, patch: Object) -> httpx.Response:
        """Send a merge patch, and return the response."""
        return self._client.patch(path, json=patch, headers={"content-type": "application/merge-patch+json"})

    def get(self, path: str) -> Object:
        """Return an object. It must exist."""
        answer: Object = self._client.get(path).raise_for_status().json()
        return answer

    def delete(self, path: str) -> None:
        """Delete an object."""
        self._client.delete(path).raise_for_status()

    def wait_for(self, path: str, holds: Callable[[Object], object]) -> Object:
        """Watch an object until it meets a condition, and return it.

        Raises httpx.ReadTimeout if it does not in time.
        """
        for event in self._events(path):
            if event["type"] != "DELETED" and holds(event["object"]):
                changed: Object = event["object"]
                return changed
        raise AssertionError(f"the watch of {path} ended")

    def wait_for_deletion(self, path: str) -> None:
        """Wait until an object does not exist. Raises httpx.ReadTimeout if it still exists after some time."""
        answer = self._client.get(path)
        if answer.status_code != httpx.codes.NOT_FOUND:
            seen = answer.raise_for_status().json()["metadata"]["resourceVersion"]
            next(event for event in self._events(path, resourceVersion=seen) if event["type"] == "DELETED")

    @contextmanager
    def fault(self, **rule: Any) -> Iterator[None]:
        """Inject a fault, given as a rule of the control API, until the block ends."""
        faults = "/memkube/v1/faults"
        name = self._client.post(faults, json=rule).raise_for_status().json()["name"]
        try:
            yield
        finally:
            self._client.delete(f"{faults}/{name}").raise_for_status()

    def break_watches(self, resource: str, how: str) -> None:
        """Close all watches of a resource, and compact the history so that they cannot be resumed."""
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
    """Provide the cluster of a server until the block ends."""
    with httpx.Client(base_url=server.url, trust_env=False) as client:
        yield Cluster(server, client)
