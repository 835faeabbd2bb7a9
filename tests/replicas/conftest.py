"""Servers in their own processes, which share an etcd."""

import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import httpx
import pytest

from tests.cli.processes import SOON, Serving, serving
from tests.etcd_server import ETCD, EtcdServer

_SHORT_LEASE: Final = ("--leader-elect-lease-seconds=6", "--leader-elect-renew-seconds=4")
_LONG_LEASE: Final = ("--leader-elect-lease-seconds=600", "--leader-elect-renew-seconds=300")
"""Lease of a leader that stays the leader on the busiest machine."""
LEASE: Final = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/memkube"


@dataclass(frozen=True)
class Replica:
    """A server, and a client that sends requests to it."""

    served: Serving
    client: httpx.Client

    @property
    def url(self) -> str:
        return self.served.url

    def get(self, path: str) -> Any:
        return _answered(self.client.get(path))

    def post(self, path: str, body: dict[str, Any]) -> Any:
        return _answered(self.client.post(path, json=body))

    def leader(self) -> str:
        """Return the URL of the leader, which the Lease contains."""
        url: str = (self.get(LEASE)["metadata"].get("annotations") or {}).get("memkube.dev/url", "")
        return url

    def changes(self, path: str, revision: str) -> Iterator[dict[str, Any]]:
        """Yield the events of a watch."""
        query = f"watch=1&resourceVersion={revision}"
        with self.client.stream("GET", f"{path}{'&' if '?' in path else '?'}{query}") as answer:
            for line in answer.iter_lines():
                yield json.loads(line)

    def kubectl(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        command = ["kubectl", "--server", self.url, *words]
        known = {**os.environ, "KUBECONFIG": os.devnull, **environment}
        return subprocess.run(command, env=known, text=True, capture_output=True, timeout=2 * SOON, check=False)


def _answered(answer: httpx.Response) -> Any:
    assert answer.is_success, f"{answer.request.method} {answer.url}: {answer.status_code} {answer.text}"
    return answer.json()


@dataclass(frozen=True)
class Replicas:
    """Two servers on one etcd. The first one was started earlier."""

    first: Replica
    second: Replica

    def __iter__(self) -> Iterator[Replica]:
        return iter((self.first, self.second))


@contextmanager
def in_an_etcd() -> Iterator[tuple[str, ...]]:
    """Run an etcd, and yield the options with which servers use it."""
    with TemporaryDirectory(prefix="memkube-etcd-") as folder:
        etcd = EtcdServer(Path(folder) / "data", ["--unsafe-no-fsync"])
        try:
            yield (f"--storage=etcd:{etcd.url}",)
        finally:
            etcd.kill()


@contextmanager
def two(folder: Path, lease: Sequence[str]) -> Iterator[Replicas]:
    """Run two servers on one etcd. `lease` are options for the lease of their leader."""
    if ETCD is None:
        pytest.skip("there is no etcd on PATH")
    environment = {**os.environ, "HOME": str(folder)}
    with in_an_etcd() as place:
        options = (*place, *lease, "--leader-elect-retry-seconds=0.5")
        with serving(environment, *options) as one, serving(environment, *options) as other:
            clients = [httpx.Client(base_url=each.url, trust_env=False, timeout=SOON) for each in (one, other)]
            yield Replicas(Replica(one, clients[0]), Replica(other, clients[1]))
            for client in clients:
                client.close()


@pytest.fixture(scope="session")
def replicas(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replicas]:
    """Two servers for all tests that do not stop them."""
    with two(tmp_path_factory.mktemp("replicas"), _LONG_LEASE) as running:
        yield running


@pytest.fixture
def mortals(tmp_path: Path) -> Iterator[Replicas]:
    """Two servers for one test, which may kill them. The lease of their leader is short."""
    with two(tmp_path, _SHORT_LEASE) as running:
        yield running
