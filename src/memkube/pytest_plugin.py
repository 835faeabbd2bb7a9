"""Clusters as fixtures, for pytest.

===================  ======================================================================
memkube              a cluster for one test, as its markers say
memkube_module       one for a module, as the module's ``pytestmark`` says
memkube_session      one for the run (of each worker, under pytest-xdist)
memkube_options      overridden, what all of them are started with where no marker says more
async_memkube        ``memkube``, its methods awaited; for any plugin that runs asynchronous tests
kubeconfig           where the kubeconfig of the test's cluster is
namespace            the name of a new namespace in the test's cluster
===================  ======================================================================

The test's cluster is the shared one that it asks for, else ``memkube``. Nothing is imported before a fixture is asked
for.
"""

import gc
import os
import sys
import uuid
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from memkube.cluster.asynchronous import AsyncMemkube
    from memkube.cluster.synchronous import Memkube

_HELP = (
    "memkube(nodes=1, zones=1, clock='real', controllers='all', admission=(), manifests=()): "
    "the cluster that the fixture memkube starts; manifests are paths beside the test's file, text or documents"
)
_SHARED = ("memkube_module", "memkube_session")
_SECTION = "memkube: what the test changed"
_REQUESTS = "memkube: the last requests of the test"
_MOST_LINES = 60
_MOST_REQUESTS = 30
_COLLECTED_AT_ONCE = 20_000
"""So many objects more than at the last time are there before the collector looks: several times what a cluster is."""


class _Clusters:
    """Those that run, and the revisions and the answers that they were at when the test began."""

    def __init__(self) -> None:
        self.begun: dict[Memkube, tuple[int, int]] = {}
        self._thresholds: tuple[int, int, int] | None = None

    def _spare_the_collector(self) -> None:
        """What is imported stays, and what a cluster is made of goes with it: to look for garbage there finds none."""
        if self._thresholds is None:
            gc.freeze()
            self._thresholds = first, second, third = gc.get_threshold()
            if first:
                gc.set_threshold(max(first, _COLLECTED_AT_ONCE), second, third)

    def end(self) -> None:
        """Has garbage collected as before the first of them."""
        if self._thresholds is not None:
            gc.set_threshold(*self._thresholds)

    @contextmanager
    def started(self, choices: Mapping[str, Any], folder: Path) -> Iterator["Memkube"]:
        """Runs a cluster for the block, with its manifests applied."""
        from memkube.cluster.synchronous import Memkube  # noqa: PLC0415  see the module

        self._spare_the_collector()
        options = dict(choices)
        manifests = _located(options.pop("manifests", ()), folder)
        try:
            cluster = Memkube(**options)
        except (TypeError, ValueError) as error:
            raise pytest.UsageError(f"memkube: {error}") from None
        with cluster:
            if manifests:
                cluster.apply(*manifests)
            self.begun[cluster] = (0, 0)
            try:
                yield cluster
            finally:
                del self.begun[cluster]


_clusters: pytest.StashKey[_Clusters] = pytest.StashKey()


class _Plainly:
    """Finds the package's modules before pytest does, which would rewrite their assertions.

    It does so with packages that bring a plugin; the server would take a third longer for all that it does.
    """

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """See importlib.abc.MetaPathFinder."""
        return PathFinder.find_spec(name, path, target) if name.startswith("memkube.") else None


def pytest_configure(config: pytest.Config) -> None:
    """Declares the marker."""
    config.addinivalue_line("markers", _HELP)
    config.stash[_clusters] = _Clusters()
    config.add_cleanup(config.stash[_clusters].end)
    finder = _Plainly()
    sys.meta_path.insert(0, finder)
    config.add_cleanup(lambda: sys.meta_path.remove(finder))


@pytest.fixture(scope="session")
def memkube_options() -> Mapping[str, Any]:
    """What clusters are started with where no marker says more. Made to be overridden."""
    return {}


@pytest.fixture(name="memkube")
def memkube_of_a_test(request: pytest.FixtureRequest, memkube_options: Mapping[str, Any]) -> Iterator["Memkube"]:
    """A cluster of the test's own."""
    with _started(request, memkube_options) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def memkube_module(request: pytest.FixtureRequest, memkube_options: Mapping[str, Any]) -> Iterator["Memkube"]:
    """A cluster that the tests of a module share."""
    with _started(request, memkube_options) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def memkube_session(request: pytest.FixtureRequest, memkube_options: Mapping[str, Any]) -> Iterator["Memkube"]:
    """A cluster that the tests of a run share."""
    with request.config.stash[_clusters].started(memkube_options, request.config.rootpath) as cluster:
        yield cluster


@pytest.fixture
def async_memkube(memkube: "Memkube") -> "AsyncMemkube":
    """The test's own cluster for programs in an event loop."""
    return memkube.asynchronous


@pytest.fixture
def kubeconfig(request: pytest.FixtureRequest) -> Path:
    """Where the kubeconfig of the test's cluster is."""
    return _cluster_of(request).kubeconfig


@pytest.fixture
def namespace(request: pytest.FixtureRequest) -> str:
    """The name of a new namespace in the test's cluster."""
    name = f"test-{uuid.uuid4().hex[:10]}"
    _cluster_of(request).apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    return name


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Refuses a marker that would be passed over."""
    shared = [name for name in getattr(item, "fixturenames", ()) if name in _SHARED]
    if not shared or "memkube" in item.fixturenames:  # type: ignore[attr-defined]  # as above
        return
    for node, _ in item.iter_markers_with_node("memkube"):
        if "memkube_module" not in shared or not isinstance(node, pytest.Module | pytest.Package):
            why = "a module's is the pytestmark of its file, a session's are those of the fixture memkube_options"
            raise pytest.UsageError(f"{item.nodeid}: the marker memkube has no say in {shared[0]}: {why}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Notes where each cluster stands when the test begins."""
    begun = item.config.stash[_clusters].begun
    for cluster in begun:
        begun[cluster] = (cluster.revision(), cluster.requests.answered())
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Adds to the report of a failure what the test has changed, and what was asked during it."""
    report = yield
    if call.when == "call" and report.failed:
        for cluster, (revision, answered) in item.config.stash[_clusters].begun.items():
            if changed := _changed(cluster, revision):
                report.sections.append((_SECTION, changed))
            if asked := _asked(cluster, answered):
                report.sections.append((_REQUESTS, asked))
    return report


def _started(request: pytest.FixtureRequest, defaults: Mapping[str, Any]) -> Any:
    """The cluster that the markers of a test or module ask for, the innermost deciding."""
    choices = dict(defaults)
    for marker in reversed(list(request.node.iter_markers("memkube"))):
        if marker.args:
            raise pytest.UsageError(f"{request.node.nodeid}: {_HELP}")
        choices.update(marker.kwargs)
    return request.config.stash[_clusters].started(choices, request.path.parent)


def _cluster_of(request: pytest.FixtureRequest) -> "Memkube":
    shared = [name for name in _SHARED if name in request.fixturenames]
    wanted = "memkube" if "memkube" in request.fixturenames or not shared else shared[0]
    cluster: Memkube = request.getfixturevalue(wanted)
    return cluster


def _located(manifests: Any, folder: Path) -> list[Any]:
    """Manifests, with paths as seen from the folder of the test."""
    if isinstance(manifests, str) and ("\n" in manifests or manifests.lstrip().startswith("{")):
        return [manifests]
    if isinstance(manifests, str | os.PathLike):
        return [folder / manifests]
    if isinstance(manifests, Mapping):
        return [manifests]
    return [located for one in manifests for located in _located(one, folder)]


def _changed(cluster: "Memkube", revision: int) -> str:
    from memkube.cluster.changes import shown  # noqa: PLC0415  see the module
    from memkube.errors import MemkubeError  # noqa: PLC0415  see the module

    try:
        return "\n".join(shown(cluster.changes_since(revision), _MOST_LINES))
    except MemkubeError as error:
        return f"cannot be told: {error}"


def _asked(cluster: "Memkube", answered: int) -> str:
    from memkube.errors import MemkubeError  # noqa: PLC0415  see the module

    try:
        asked = [str(request) for request in cluster.requests.after(answered)]
    except MemkubeError as error:
        return f"cannot be told: {error}"
    earlier = [f"... {len(asked) - _MOST_REQUESTS} before"] if len(asked) > _MOST_REQUESTS else []
    return "\n".join([*earlier, *asked[-_MOST_REQUESTS:]])
