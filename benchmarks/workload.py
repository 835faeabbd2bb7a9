"""The objects that benchmarks read and write."""

import http.client
import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import uvloop

from benchmarks.load import Address, MakeRequest, request, send_many

MERGE: Final = "application/merge-patch+json"
STRATEGIC: Final = "application/strategic-merge-patch+json"
FEW: Final = 100
MANY: Final = 5_000


@dataclass(frozen=True, slots=True)
class Workload:
    """Three namespaces on a server: one with `FEW` pods, one with `MANY` pods, and one for new objects."""

    address: Address
    prefix: str

    @classmethod
    @contextmanager
    def prepared(cls, address: Address) -> "Iterator[Workload]":
        """Create the namespaces and their pods, and delete the namespaces after the block."""
        workload = cls(address, f"bench-{secrets.token_hex(3)}")
        namespaces = [f"{workload.prefix}-{suffix}" for suffix in ("few", "many", "new")]
        for name in namespaces:
            workload.call("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
        try:
            uvloop.run(send_many(address, workload.create("few"), 0, FEW))
            uvloop.run(send_many(address, workload.create("many"), 0, MANY))
            yield workload
        finally:
            for name in namespaces:
                workload.call("DELETE", f"/api/v1/namespaces/{name}")

    def pods(self, suffix: str) -> str:
        """Return the path of the pods in a namespace."""
        return f"/api/v1/namespaces/{self.prefix}-{suffix}/pods"

    def create(self, suffix: str) -> MakeRequest:
        """Return requests that create pods, each with its number in its name."""
        path = self.pods(suffix)
        token = self.address.token
        return lambda number: request("POST", path, json.dumps(_pod(f"pod-{number}")).encode(), token=token)

    def create_various(self, suffix: str) -> MakeRequest:
        """Return requests that create pods with a different spec each."""
        path, token = self.pods(suffix), self.address.token

        def make(number: int) -> bytes:
            pod = _pod(f"various-{number}")
            container = pod["spec"]["containers"][0]
            container["image"] = f"registry.example/web:1.{number}"
            container["env"].append({"name": "NUMBER", "value": str(number)})
            container["resources"]["requests"]["cpu"] = f"{100 + number}m"
            return request("POST", path, json.dumps(pod).encode(), token=token)

        return make

    def patch(self, media_type: str = MERGE) -> MakeRequest:
        """Return requests that change an annotation of one of the `FEW` pods."""
        return lambda number: self.annotate(number % FEW, "round", str(number), media_type)

    def annotate(self, pod: int, name: str, value: str, media_type: str = MERGE) -> bytes:
        """Return the request that sets an annotation of one of the `FEW` pods."""
        body = json.dumps({"metadata": {"annotations": {name: value}}}).encode()
        path = f"{self.pods('few')}/pod-{pod}"
        return request("PATCH", path, body, media_type, token=self.address.token)

    def get(self, path: str, accept: str = "application/json") -> bytes:
        """Return the request that reads a path."""
        return request("GET", path, accept=accept, token=self.address.token)

    def call(
        self, method: str, path: str, body: dict[str, Any] | None = None, accept: str = "application/json"
    ) -> bytes:
        """Send one request and return the body of the response. Raises SystemExit if the request fails."""
        return call(self.address, method, path, json.dumps(body).encode() if body else None, accept)


def call(
    address: Address, method: str, path: str, body: bytes | None = None, accept: str = "application/json"
) -> bytes:
    """Send one request and return the body of the response. Raises SystemExit if the request fails."""
    headers = {"Content-Type": "application/json", "Accept": accept}
    if address.token:
        headers["Authorization"] = f"Bearer {address.token}"
    if address.tls:
        connection: http.client.HTTPConnection = http.client.HTTPSConnection(
            address.host, address.port, timeout=60, context=address.tls
        )
    else:
        connection = http.client.HTTPConnection(address.host, address.port, timeout=60)
    try:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        answer = response.read()
    finally:
        connection.close()
    if response.status >= 300:
        raise SystemExit(f"benchmarks: {method} {path}: {response.status} {answer[:300]!r}")
    return answer


def _pod(name: str) -> dict[str, Any]:
    container = {
        "name": "app",
        "image": "registry.example/web:1.27",
        "ports": [{"containerPort": 8080, "name": "http"}],
        "env": [{"name": "MODE", "value": "production"}],
        "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "256Mi"}},
        "readinessProbe": {"httpGet": {"path": "/healthz", "port": "http"}},
    }
    metadata = {"name": name, "labels": {"app": "web", "tier": "front"}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container]}}
