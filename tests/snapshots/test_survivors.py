"""Clients and a simulated cluster that survive ten restores in succession in make test, and twenty in make slow."""

import functools
import subprocess
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from kubernetes import client, config, informer

import memkube
from tests.clients.kubectl import needs_kubectl

_SECONDS = 60
_SANDBOX = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: busybox, command: [sh, -c, 'while sleep 1; do date +%s; done']}]}
---
apiVersion: v1
kind: Pod
metadata: {name: crashes}
spec: {containers: [{name: main, image: busybox, command: [sh, -c, 'sleep 2; exit 3']}]}
"""


class Listener:
    """Records notifications, and lets tests wait for them."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self._changed = threading.Condition()

    def tell(self, text: str) -> None:
        with self._changed:
            self.told.append(text)
            self._changed.notify_all()

    def await_that(self, holds: Callable[[], object]) -> None:
        """Wait until a condition is true after a notification."""
        with self._changed:
            assert self._changed.wait_for(holds, _SECONDS), self.told[-5:]

    def await_told(self, text: str) -> None:
        """Wait for a notification with this text."""
        self.await_that(lambda: text in self.told)


class Informed(Listener):
    """The official client's informer for the pods of a namespace, and the state of its cache."""

    def __init__(self, listing: Any) -> None:
        super().__init__()
        self.shared = informer.SharedInformer(listing, namespace="default")
        for kind in (informer.ADDED, informer.MODIFIED, informer.DELETED):
            self.shared.add_event_handler(kind, lambda found, kind=kind: self.tell(f"{kind} {found.metadata.name}"))
        self.shared.add_event_handler(
            informer.ERROR, lambda error: self.tell(f"ERROR {getattr(error, 'status', error)}")
        )

    def known(self) -> dict[str, str]:
        found = self.shared.cache.list()
        return {pod.metadata.name: pod.metadata.resource_version for pod in found}


class Watched(Listener):
    """A running ``kubectl get pods --watch``."""

    def __init__(self, kubeconfig: str) -> None:
        super().__init__()
        command = ["kubectl", "--kubeconfig", kubeconfig, "get", "pods", "--watch", "--output-watch-events"]
        self.process = subprocess.Popen([*command, "--no-headers"], stdout=subprocess.PIPE, text=True)
        self._reading = threading.Thread(target=self._read)
        self._reading.start()

    def end(self) -> None:
        """Kill kubectl, and wait until it has ended."""
        self.process.kill()
        self._reading.join()
        self.process.communicate()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.tell(" ".join(line.split()[:2]))
        self.tell("END")


@pytest.fixture(params=[10, pytest.param(20, marks=pytest.mark.slow)])
def restores(request: pytest.FixtureRequest) -> int:
    """The number of restores, chosen so that a bookmark is sent during the test."""
    count: int = request.param
    return count


@pytest.fixture
def kube() -> Iterator[memkube.Memkube]:
    with memkube.Memkube(nodes=2, clock="stepped") as started:
        yield started


@pytest.fixture
def core(kube: memkube.Memkube) -> client.CoreV1Api:
    return client.CoreV1Api(config.new_client_from_config(str(kube.kubeconfig)))


def pod(name: str) -> dict[str, Any]:
    spec = {"containers": [{"name": "main", "image": "nginx"}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def versions(kube: memkube.Memkube) -> dict[str, str]:
    return {pod["metadata"]["name"]: pod["metadata"]["resourceVersion"] for pod in kube.objects("pods", "default")}


def restarts(kube: memkube.Memkube) -> int:
    counted: int = kube.object("pods", "crashes")["status"]["containerStatuses"][0]["restartCount"]
    return counted


def with_bookmarks(listing: Any) -> Any:
    """Return a list function that requests bookmarks, as informers in other languages do."""

    @functools.wraps(listing)
    def asked(*arguments: Any, **options: Any) -> Any:
        return listing(*arguments, allow_watch_bookmarks=True, **options)

    return asked


@pytest.mark.parametrize("bookmarks", [False, True])
def test_an_informer_knows_what_is_there_after_each_restore(
    kube: memkube.Memkube, core: client.CoreV1Api, restores: int, bookmarks: bool
) -> None:
    kube.apply(_SANDBOX)
    kube.clock.advance(30)
    listing = core.list_namespaced_pod
    informed = Informed(with_bookmarks(listing) if bookmarks else listing)
    informed.shared.start()
    try:
        _restore_often(kube, informed, restores)
    finally:
        stopping = threading.Thread(target=informed.shared.stop)
        stopping.start()
        # The informer's watch checks only after an event whether it must end, so objects are created until it ends.
        for number in range(_SECONDS):
            kube.apply(pod(f"last-{number}"))
            stopping.join(0.5)
            if not stopping.is_alive():
                break
    assert ("ERROR 410" in informed.told) == bookmarks


def _restore_often(kube: memkube.Memkube, informed: Informed, restores: int) -> None:
    saved, expected = kube.snapshot(), versions(kube)
    informed.await_that(lambda: informed.known() == expected)
    for number in range(restores):
        kube.apply(pod(f"extra-{number}"))
        kube.clock.advance(7)
        informed.await_that(lambda: informed.known() == versions(kube))
        kube.restore(saved)
        informed.await_that(lambda: informed.known() == expected)
        assert versions(kube) == expected


def test_a_sandbox_does_the_same_after_each_restore(
    kube: memkube.Memkube, core: client.CoreV1Api, restores: int
) -> None:
    kube.apply(_SANDBOX)
    kube.clock.advance(30)
    saved, restarted = kube.snapshot(), restarts(kube)
    web = next(name for name in versions(kube) if name.startswith("web-"))
    written = set()
    for _ in range(restores):
        assert restarts(kube) == restarted
        kube.clock.advance(60)
        assert restarts(kube) == restarted + 2
        written.add(core.read_namespaced_pod_log(web, "default"))
        assert kube.object("deployments", "web")["status"]["readyReplicas"] == 2
        kube.restore(saved)
    (log,) = written
    begun = int(log.split()[0])
    assert [int(line) for line in log.split()] == list(range(begun, begun + 90))


@pytest.mark.kubectl
@needs_kubectl[1]
def test_a_watch_of_kubectl_sees_each_restore(kube: memkube.Memkube, restores: int) -> None:
    kube.apply(_SANDBOX)
    kube.clock.advance(30)
    saved = kube.snapshot()
    watched = Watched(str(kube.kubeconfig))
    watched.await_told("ADDED crashes")
    try:
        for number in range(restores):
            kube.apply(pod(f"extra-{number}"))
            watched.await_told(f"ADDED extra-{number}")
            kube.restore(saved)
            watched.await_told(f"DELETED extra-{number}")
        assert watched.process.poll() is None
    finally:
        watched.end()
