"""Servers as processes of their own, on one etcd."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from tests.cli.processes import Serving, serving
from tests.etcd_server import EtcdServer

QUICK: Final = ("--leader-elect-lease-seconds=6", "--leader-elect-renew-seconds=4", "--leader-elect-retry-seconds=0.5")
LEASE: Final = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/memkube"


@dataclass(frozen=True)
class Replica:
    """A server, and a client that talks to it."""

    serving: Serving
    client: httpx.Client

    @property
    def url(self) -> str:
        return self.serving.url

    def get(self, path: str) -> Any:
        return self.client.get(path).raise_for_status().json()

    def post(self, path: str, body: dict[str, Any]) -> Any:
        return self.client.post(path, json=body).raise_for_status().json()

    def leads(self) -> bool:
        annotations = self.get(LEASE)["metadata"].get("annotations") or {}
        return annotations.get("memkube.dev/url") == self.url


class Replicas:
    """Two servers on one etcd, of which the first one leads."""

    def __init__(self, leader: Replica, follower: Replica) -> None:
        self.leader = leader
        self.follower = follower

    def __iter__(self) -> Iterator[Replica]:
        return iter((self.leader, self.follower))


@pytest.fixture
def replicas(etcd_server: EtcdServer, tmp_path: Path) -> Iterator[Replicas]:
    """Their leases are short; they are nobody else's, and may be killed."""
    environment = environment_of(tmp_path)
    options = (f"--storage=etcd:{etcd_server.url}", f"--etcd-prefix=/{tmp_path.name}", *QUICK)
    with serving(environment, *options) as one, client_of(one) as first:
        with serving(environment, *options) as two, client_of(two) as second:
            yield Replicas(Replica(one, first), Replica(two, second))


def client_of(served: Serving) -> httpx.Client:
    return httpx.Client(base_url=served.url, trust_env=False, timeout=30)


def environment_of(folder: Path) -> dict[str, str]:
    """What the program and kubectl need, and nothing of the developer's."""
    import os

    return {**os.environ, "HOME": str(folder), "KUBECONFIG": str(folder / "none")}
