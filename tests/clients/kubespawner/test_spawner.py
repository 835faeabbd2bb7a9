"""kubespawner starts, polls, loses, finds and stops a user's server."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from memkube import Memkube, faults
from tests.clients.worker import CLIENTS, Worker, worker

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (CLIENTS / "kubespawner/stamp").exists(), reason="kubespawner is not installed: make clients"
    ),
]
_OPTIONS: Final = {
    "namespace": "default",
    "image": "jupyter:1",
    "cmd": ["jupyterhub-singleuser"],
    "cpu_limit": 1,
    "mem_guarantee": "1G",
    "delete_grace_period": 1,
    "start_timeout": 60,
    "k8s_api_request_timeout": 2,
    "environment": {"TOKEN": {"valueFrom": {"secretKeyRef": {"name": "tokens", "key": "{username}"}}}},
    "services_enabled": True,
    "extra_labels": {"course": "logic"},
    "events_enabled": True,
}
_STORAGE: Final[dict[str, Any]] = {
    "storage_pvc_ensure": True,
    "storage_capacity": "1Gi",
    "volumes": [{"name": "home", "persistentVolumeClaim": {"claimName": "{pvc_name}"}}],
    "volume_mounts": [{"name": "home", "mountPath": "/home/jovyan"}],
}
_POD: Final = "jupyter-ada"


class Hub:
    """A hub with one user."""

    def __init__(self, program: Worker) -> None:
        self._program = program

    def __call__(self, method: str, **arguments: Any) -> Any:
        """Call a method of the spawner and return its result. Raises RuntimeError if it fails."""
        self.begin(method, **arguments)
        return self.end()

    def begin(self, method: str, **arguments: Any) -> None:
        """Call a method of the spawner. `end` waits for its result."""
        self._program.send((method, arguments))

    def end(self) -> Any:
        """Return the result of the method that `begin` called."""
        answer = self._program.receive()
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["result"]

    def restart(self, state: dict[str, Any] | None = None, **options: Any) -> None:
        """Restart the hub, with the saved state of the spawner."""
        self("make", user="ada", options={**_OPTIONS, **options}, state=state or {})


@pytest.fixture(scope="module")
def kube() -> Iterator[Memkube]:
    """A cluster with a Secret for the user."""
    with Memkube() as started:
        started.apply(
            {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "tokens"}, "stringData": {"ada": "x"}}
        )
        yield started


@pytest.fixture(scope="module")
def program(kube: Memkube, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    """A process with kubespawner. It is shared by all tests, because importing kubespawner takes seconds."""
    folder, environment = tmp_path_factory.mktemp("hub"), {"KUBECONFIG": str(kube.kubeconfig)}
    with worker("kubespawner", Path(__file__).parent / "program.py", folder, environment) as running:
        yield running


@pytest.fixture
def hub(program: Worker) -> Iterator[Hub]:
    """A hub whose user has no server. The user is deleted after the test."""
    hub = Hub(program)
    hub.restart()
    yield hub
    hub("stop")
    hub("delete_forever")


def test_a_server_is_started_seen_and_stopped(hub: Hub, kube: Memkube) -> None:
    started = hub("start")
    pod, service = kube.object("pods", _POD), kube.object("services", _POD)
    assert started["url"].startswith(f"http://{_POD}.default")
    assert "Container started" in started["shown"]
    assert pod["spec"]["containers"][0]["resources"] == {
        "limits": {"cpu": "1"},
        "requests": {"cpu": "1", "memory": "1073741824"},
    }
    assert service["metadata"]["ownerReferences"][0]["uid"] == pod["metadata"]["uid"]
    assert (hub("poll"), hub("seen")) == (None, [f"default/{_POD}"])
    hub("stop")
    assert (hub("poll"), hub("seen")) == (1, [])
    kube.wait_for("services", _POD, "delete")


def test_a_server_waits_for_its_volume_which_outlives_it(hub: Hub, kube: Memkube) -> None:
    hub.restart(**_STORAGE)
    hub("start")
    hub("stop")
    assert kube.object("persistentvolumeclaims", "claim-ada")["status"]["phase"] == "Bound"
    hub("delete_forever")
    kube.wait_for("persistentvolumeclaims", "claim-ada", "delete")


def test_a_server_that_ends_by_itself_is_seen(hub: Hub, kube: Memkube) -> None:
    kube.behaviors.put("ends", {"image": "jupyter:short", "exitCode": 0, "exitAfterSeconds": 1})
    hub.restart(image="jupyter:short")
    hub("start")
    assert hub("poll_until_it_ends") == 0
    kube.wait_for("pods", _POD, "delete")


def test_a_hub_that_starts_anew_finds_the_server(hub: Hub) -> None:
    state = hub("start")["state"]
    hub.restart(state)
    assert hub("poll") is None


def test_an_image_that_cannot_be_pulled_ends_in_a_timeout(hub: Hub, kube: Memkube) -> None:
    kube.behaviors.put("missing", {"image": "jupyter:missing", "pullError": "manifest unknown"})
    hub.restart(image="jupyter:missing", start_timeout=3)
    with pytest.raises(RuntimeError, match="pod default/jupyter-ada did not start in 3 seconds"):
        hub("start")


def test_the_reflectors_recover_from_a_lost_history_and_lost_connections(hub: Hub, kube: Memkube) -> None:
    hub("start")
    with kube.faults.add(faults.hold_events(), verb="watch", resource="pods"):
        hub.begin("stop")
        kube.wait_for("pods", _POD, "delete")
        kube.faults.compact_history()
        assert kube.faults.close_watches(expired=True, resource="pods", user_agent="OpenAPI-Generator/*")
    hub.end()
    assert hub("seen") == []


def test_a_busy_server_is_asked_again(hub: Hub, kube: Memkube) -> None:
    slow = kube.faults.add(faults.delay(5), verb="create", resource="pods", first=1)
    with slow:
        hub("start")
    assert slow.hits == 1
