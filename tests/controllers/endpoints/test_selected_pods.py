from collections.abc import AsyncIterator

import pytest

from memkube.controllers.endpoints.endpoint_pods import EndpointPod
from memkube.controllers.endpoints.selected_pods import Key, SelectedPods
from memkube.controllers.framework.runtime import Runtime
from tests.controllers.cluster import Cluster, running
from tests.controllers.services import backend, kill, service, serving

pytestmark = pytest.mark.anyio


class Selection:
    """Services and pods of a cluster, and the Services that were reported as changed."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self._reported: list[Key] = []
        self.runtime = Runtime(cluster.parts)
        self.pods = SelectedPods(self.runtime, self._reported.append)

    def reported(self) -> list[str]:
        """Return the names of the Services that were reported since the last call."""
        names = sorted({name for _, name in self._reported})
        self._reported.clear()
        return names

    def names(self, of: str) -> list[str]:
        return sorted(pod.name for pod in self.pods.of(("default", of)))


@pytest.fixture
async def selection() -> AsyncIterator[Selection]:
    async with running() as cluster:
        selection = Selection(cluster)
        await selection.runtime.informers.start()
        for name, selector in (
            ("web", {"app": "web"}),
            ("blue", {"app": "web", "color": "blue"}),
            ("db", {"app": "db"}),
        ):
            await cluster.create(service(name, selector=selector))
        await cluster.create(backend("a", "10.0.0.1"))
        await cluster.create(
            {**backend("b", "10.0.0.2"), "metadata": {"name": "b", "labels": {"app": "web", "color": "blue"}}}
        )
        selection.reported()
        yield selection
        await selection.runtime.informers.stop()


async def test_a_service_selects_the_pods_with_all_of_its_labels(selection: Selection) -> None:
    assert [selection.names(name) for name in ("web", "blue", "db", "missing")] == [["a", "b"], ["b"], [], []]


async def test_changed_labels_concern_the_services_that_select_the_pod_before_or_afterwards(
    selection: Selection,
) -> None:
    await selection.cluster.change("pods", "a", metadata={"labels": {"app": "db"}})
    assert selection.reported() == ["db", "web"]
    assert [selection.names(name) for name in ("web", "db")] == [["b"], ["a"]]


async def test_changed_labels_do_not_concern_a_service_that_selects_the_pod_all_the_same(selection: Selection) -> None:
    await selection.cluster.change("pods", "b", metadata={"labels": {"app": "web"}})
    assert selection.reported() == ["blue"]


@pytest.mark.parametrize(
    ("status", "names"),
    [
        (serving("10.0.0.2", ready=False), ["blue", "web"]),
        (serving("10.0.0.9"), ["blue", "web"]),
        ({**serving("10.0.0.2"), "message": "any"}, []),
        ({**serving("10.0.0.2"), "phase": "Failed"}, []),
    ],
)
async def test_readiness_and_addresses_concern_services(
    selection: Selection, status: dict[str, object], names: list[str]
) -> None:
    await selection.cluster.change("pods", "b", subresource="status", status=status)
    assert selection.reported() == names


async def test_every_change_of_a_terminating_pod_concerns_services(selection: Selection) -> None:
    await selection.cluster.delete("pods", "a")
    assert selection.reported() == ["web"]
    await selection.cluster.change("pods", "a", metadata={"annotations": {"any": "change"}})
    assert selection.reported() == ["web"]


async def test_a_deleted_pod_is_selected_once_more_as_terminating(selection: Selection) -> None:
    await kill(selection.cluster, "b")
    assert selection.reported() == ["blue", "web"]
    assert [_state(pod) for pod in selection.pods.of(("default", "blue"))] == [("b", True)]
    assert selection.reported() == []
    assert ("b", True) in [_state(pod) for pod in selection.pods.of(("default", "web"))]
    assert selection.reported() == ["blue", "web"]
    assert [selection.names(name) for name in ("web", "blue")] == [["a"], []]


async def test_a_deleted_pod_does_not_wait_for_a_deleted_service(selection: Selection) -> None:
    await kill(selection.cluster, "b")
    assert selection.names("web") == ["a", "b"]
    await selection.cluster.delete("services", "blue")
    assert selection.names("web") == ["a"]


async def test_a_new_selector_selects_other_pods(selection: Selection) -> None:
    await selection.cluster.change("services", "db", spec=service(selector={"color": "blue"})["spec"])
    assert selection.names("db") == ["b"]
    await selection.cluster.change("pods", "b", metadata={"labels": {}})
    assert selection.reported() == ["blue", "db", "web"]


def _state(pod: EndpointPod) -> tuple[str, bool]:
    return pod.name, pod.is_terminating
