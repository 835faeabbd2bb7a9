"""Runs two programs with each fault of watches: one that fails, and one that handles the fault.

Most of them keep a copy of the ConfigMaps of a namespace, with the official client.
"""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import urllib3
from kubernetes import client, watch
from lightkube import ApiError, Client, KubeConfig
from lightkube.resources.core_v1 import ConfigMap
from lightkube.types import OnErrorAction, OnErrorResult

from memkube import Memkube, faults
from tests.clients.workloads import config_map

pytestmark = pytest.mark.memkube(controllers="none", clock="stepped")
_SECONDS = 60


@pytest.fixture
def core(memkube: Memkube) -> Iterator[Any]:
    with client.ApiClient(client.Configuration(host=memkube.url)) as connected:
        yield client.CoreV1Api(connected)


class Copy:
    """A copy of the ConfigMaps in the namespace default. A thread updates it until the copy fails or is closed."""

    def __init__(self, core: Any, follow: Callable[["Copy", Any, str], None]) -> None:
        self.names: set[str] = set()
        self.failure: Exception | None = None
        self.lists = 0
        self._core = core
        self._follow = follow
        self._closed = False
        self._changed = threading.Condition()
        self.revision = self.list()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def list(self) -> str:
        """Replace the copy by a list, and return the list's resourceVersion."""
        listed = self._core.list_namespaced_config_map("default")
        with self._changed:
            self.lists += 1
            self.names = {found.metadata.name for found in listed.items}
            self._changed.notify_all()
        version: str = listed.metadata.resource_version
        return version

    def take(self, event: Any) -> None:
        """Apply one watch event to the copy."""
        name = event["object"].metadata.name
        with self._changed:
            if event["type"] == "DELETED":
                self.names.discard(name)
            else:
                self.names.add(name)
            self._changed.notify_all()
        if name == "end":
            self._closed = True

    @property
    def is_closed(self) -> bool:
        """True once the object ``end`` has been seen."""
        return self._closed

    def has(self, *names: str) -> bool:
        """Wait until the copy has exactly these names or has failed. Return True if it has them."""
        wanted = set(names)
        with self._changed:
            self._changed.wait_for(lambda: wanted == self.names or not self._thread.is_alive(), _SECONDS)
            return wanted == self.names

    def join(self) -> Exception | None:
        """Wait until the copy has ended, and return the exception with which it failed."""
        self._thread.join(_SECONDS)
        assert not self._thread.is_alive()
        return self.failure

    def _run(self) -> None:
        try:
            self._follow(self, self._core, self.revision)
        except Exception as error:
            self.failure = error
        with self._changed:
            self._changed.notify_all()


def one_watch(copy: Copy, core: Any, revision: str) -> None:
    """Watch once, and treat the end of the watch as the end of all changes (a bug)."""
    for event in watch.Watch().stream(
        core.list_namespaced_config_map, "default", resource_version=revision, timeout_seconds=3600
    ):
        copy.take(event)


def resuming(copy: Copy, core: Any, revision: str) -> None:
    """Resume a watch that has ended, without handling a compacted history (a bug)."""
    watching = watch.Watch()
    for event in watching.stream(core.list_namespaced_config_map, "default", resource_version=revision):
        copy.take(event)
        if copy.is_closed:
            watching.stop()


def relisting(copy: Copy, core: Any, revision: str) -> None:
    """Resume a watch that has ended, and list again if that fails."""
    while not copy.is_closed:
        watching = watch.Watch()
        try:
            for event in watching.stream(core.list_namespaced_config_map, "default", resource_version=revision):
                copy.take(event)
                if copy.is_closed:
                    watching.stop()
        except client.ApiException as error:
            if error.status != 410:
                raise
            revision = copy.list()
        except urllib3.exceptions.HTTPError:
            revision = str(watching.resource_version)


def create(core: Any, *names: str) -> None:
    for name in names:
        core.create_namespaced_config_map("default", config_map(name))


def end(core: Any, copy: Copy, *names: str) -> None:
    """Check that the copy is complete, and end its thread."""
    assert copy.has(*names)
    create(core, "end")
    assert copy.join() is None
    core.delete_namespaced_config_map("end", "default")


def test_a_watch_that_ends_breaks_who_does_not_begin_another(memkube: Memkube, core: Any) -> None:
    for follow, is_careful in ((one_watch, False), (resuming, True)):
        with memkube.faults.add(faults.close_watch(after_events=1), resource="configmaps", first=2) as fault:
            copy = Copy(core, follow)
            create(core, "a", "b")
            assert copy.has("a", "b") == is_careful
            assert fault.hits == (2 if is_careful else 1)
            if is_careful:
                end(core, copy, "a", "b")
        for name in "ab":
            core.delete_namespaced_config_map(name, "default")


@pytest.mark.parametrize("effect", [faults.close_watch(expired=True), faults.close_watch(dropped=True)])
def test_a_watch_that_fails_breaks_who_does_not_go_on(memkube: Memkube, core: Any, effect: faults.Effect) -> None:
    with memkube.faults.add(effect, resource="configmaps", first=2):
        careless = Copy(core, resuming)
        assert isinstance(careless.join(), client.ApiException | urllib3.exceptions.ProtocolError)
    with memkube.faults.add(effect, resource="configmaps", first=2) as fault:
        careful = Copy(core, relisting)
        create(core, "a", "b")
        end(core, careful, "a", "b")
    assert fault.hits == 2


def test_history_that_is_gone_breaks_who_does_not_list_again(memkube: Memkube, core: Any) -> None:
    for follow, is_careful in ((resuming, False), (relisting, True)):
        with memkube.faults.add(faults.hold_events(), resource="configmaps"):
            copy = Copy(core, follow)
            create(core, "a")
            memkube.faults.compact_history()
            while not memkube.faults.close_watches(resource="configmaps"):
                pass
        if is_careful:
            end(core, copy, "a")
            assert copy.lists == 2
        else:
            assert isinstance(failure := copy.join(), client.ApiException)
            assert failure.status == 410
        core.delete_namespaced_config_map("a", "default")


@pytest.fixture
def kube(memkube: Memkube) -> Iterator[Client]:
    with Client(KubeConfig.from_file(str(memkube.kubeconfig))) as connected:
        yield connected


def test_history_that_is_forgotten_before_a_watch_is_told_to_lightkube(memkube: Memkube, kube: Client) -> None:
    listed = kube.list(ConfigMap)
    names = {found.metadata.name for found in listed}
    assert listed.resourceVersion
    kube.create(ConfigMap.from_dict(config_map("a")))

    def relist(error: Exception, _: int) -> OnErrorResult:
        assert isinstance(error, ApiError)
        names.update(found.metadata.name for found in kube.list(ConfigMap))
        return OnErrorResult(OnErrorAction.STOP)

    with memkube.faults.add(faults.compact_history(), verb="watch", resource="configmaps"):
        with pytest.raises(ApiError, match="too old resource version"):
            list(kube.watch(ConfigMap, resource_version=listed.resourceVersion))
        assert list(kube.watch(ConfigMap, resource_version=listed.resourceVersion, on_error=relist)) == []
    assert names == {"a"}


def child_of(name: str, *, is_named: bool) -> dict[str, Any]:
    child = config_map(f"child-of-{name}")
    if not is_named:
        child["metadata"] = {"generateName": f"child-of-{name}-"}
    return child


def reconcile(core: Any, copy: Copy, name: str, *, is_named: bool) -> None:
    """Create a child for an object unless the copy contains one."""
    if any(known.startswith(f"child-of-{name}") for known in copy.names):
        return
    try:
        core.create_namespaced_config_map("default", child_of(name, is_named=is_named))
    except client.ApiException as error:
        if error.status != 409:
            raise


@pytest.mark.parametrize(("effect"), [faults.hold_events(), faults.delay_events(30, types="ADDED")])
@pytest.mark.parametrize(("is_named", "children"), [(False, 2), (True, 1)])
def test_events_that_come_late_break_who_goes_by_the_copy_alone(
    memkube: Memkube, core: Any, effect: faults.Effect, is_named: bool, children: int
) -> None:
    with memkube.faults.add(effect, resource="configmaps"):
        copy = Copy(core, relisting)
        for _ in range(2):
            reconcile(core, copy, "web", is_named=is_named)
        assert len(core.list_namespaced_config_map("default").items) == children
        create(core, "end")
        memkube.clock.advance(30)
    assert copy.join() is None
    assert len(copy.names) == children + 1


def test_bookmarks_that_do_not_come_break_who_counts_on_them(memkube: Memkube, core: Any) -> None:
    """Watch Secrets, which do not change while other objects do: only bookmarks bring newer resourceVersions."""

    def resumed_at(revision: str) -> Any:
        streaming = watch.Watch()
        options = {"allow_watch_bookmarks": True, "resource_version": revision, "timeout_seconds": 100}
        told: list[Any] = []

        def follow() -> None:
            told.extend(streaming.stream(core.list_namespaced_secret, "default", **options))

        following = threading.Thread(target=follow)
        following.start()
        while following.is_alive():
            memkube.clock.advance(50)
        return streaming.resource_version

    begun = core.list_namespaced_secret("default").metadata.resource_version
    create(core, "a")
    assert int(resumed_at(begun)) > int(begun)
    with memkube.faults.add(faults.withhold_bookmarks(), resource="secrets") as fault:
        stuck = resumed_at(begun)
    assert (stuck, fault.hits) == (begun, 2)
