"""Clusters as fixtures, for pytest.

===================  ======================================================================
memkube              a cluster for one test, with the options of its markers
memkube_module       a cluster for a module, with the options of its ``pytestmark``
memkube_session      a cluster for the run (of each worker, under pytest-xdist)
memkube_options      default options of all clusters; override it to change them
async_memkube        ``memkube`` with methods that are awaited; for any plugin for asynchronous tests
kubeconfig           path of the kubeconfig of the test's cluster
namespace            name of a new namespace in the test's cluster
memkube_hunt         report of the hunt for bugs that the test's marker ``memkube_hunt`` describes
===================  ======================================================================

For the fixtures ``kubeconfig`` and ``namespace``, the test's cluster is ``memkube``. It is ``memkube_module`` or
``memkube_session`` instead if the test requests one of these and not ``memkube``. The server is imported when a test
first requests a fixture.
"""

import gc
import os
import re
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
    from memkube.hunting.report import HuntReport

_HELP = (
    "memkube(nodes=1, zones=1, clock='real', controllers='all', admission=(), authorization='AlwaysAllow', "
    "manifests=()): the cluster that the fixture memkube starts; manifests are paths beside the test's file, text or "
    "documents"
)
_HUNT_HELP = (
    "memkube_hunt('hunt.yaml', budget=120, jobs=2, seed=1, patterns=(), max_findings=5): the hunt for bugs of an "
    "operator whose report the fixture memkube_hunt returns; the path is relative to the test's file"
)
_SHARED = ("memkube_module", "memkube_session")
_SECTION = "memkube: what the test changed"
_REQUESTS = "memkube: the last requests of the test"
_DENIED = "memkube: requests that no role allowed"
_SAVED = "memkube: what the test left behind"
_MOST_LINES = 60
_MOST_REQUESTS = 30
_LONGEST_NAME = 120
_COLLECTED_AT_ONCE = 20_000
"""Number of newly allocated Python objects that triggers a garbage collection while clusters run."""


class _Clusters:
    """The running clusters, each with its revision and number of answered requests at the start of the current test."""

    def __init__(self) -> None:
        self.begun: dict[Memkube, tuple[int, int]] = {}
        self._thresholds: tuple[int, int, int] | None = None

    def _make_collections_rare(self) -> None:
        """Exempt existing Python objects from Python's garbage collection, and make collections rarer.

        Clusters create few reference cycles, so frequent collections would only cost time.
        """
        if self._thresholds is None:
            gc.freeze()
            self._thresholds = first, second, third = gc.get_threshold()
            if first:
                gc.set_threshold(max(first, _COLLECTED_AT_ONCE), second, third)

    def end(self) -> None:
        """At the end of the test run, restore the usual frequency of Python's garbage collections."""
        if self._thresholds is not None:
            gc.set_threshold(*self._thresholds)

    @contextmanager
    def started(self, choices: Mapping[str, Any], folder: Path) -> Iterator["Memkube"]:
        """Run a cluster with the options `choices` until the block ends.

        The manifests among the options are applied first; their paths are relative to `folder`.
        """
        from memkube.cluster.synchronous import Memkube  # noqa: PLC0415  see the module

        self._make_collections_rare()
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
    """An import hook that loads the modules of memkube without pytest's assertion rewriting.

    pytest rewrites the assertions of packages that contain a plugin, which would slow the server down by a third.
    """

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return the module spec from Python's own finder for a module of memkube."""
        return PathFinder.find_spec(name, path, target) if name.startswith("memkube.") else None


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option ``--memkube-artifacts``, which names a folder for reports and snapshots of failed tests."""
    parser.getgroup("memkube").addoption(
        "--memkube-artifacts",
        metavar="FOLDER",
        type=Path,
        help="save a snapshot of the clusters of each failed test, and its report, in a folder below FOLDER; "
        "`memkube ui` shows such a folder",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers ``memkube`` and ``memkube_hunt``."""
    config.addinivalue_line("markers", _HELP)
    config.addinivalue_line("markers", _HUNT_HELP)
    config.stash[_clusters] = _Clusters()
    config.add_cleanup(config.stash[_clusters].end)
    finder = _Plainly()
    sys.meta_path.insert(0, finder)
    config.add_cleanup(lambda: sys.meta_path.remove(finder))


@pytest.fixture(scope="session")
def memkube_options() -> Mapping[str, Any]:
    """Default options of all clusters; override this fixture to change them."""
    return {}


@pytest.fixture(name="memkube")
def memkube_of_a_test(request: pytest.FixtureRequest, memkube_options: Mapping[str, Any]) -> Iterator["Memkube"]:
    """A cluster for one test."""
    with _started(request, memkube_options) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def memkube_module(request: pytest.FixtureRequest, memkube_options: Mapping[str, Any]) -> Iterator["Memkube"]:
    """A cluster that is shared by the tests of a module."""
    with _started(request, memkube_options) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def memkube_session(request: pytest.FixtureRequest, memkube_options: Mapping[str, Any]) -> Iterator["Memkube"]:
    """A cluster that is shared by the tests of a run."""
    with request.config.stash[_clusters].started(memkube_options, request.config.rootpath) as cluster:
        yield cluster


@pytest.fixture
def async_memkube(memkube: "Memkube") -> "AsyncMemkube":
    """The cluster of the test, with methods that are awaited."""
    return memkube.asynchronous


@pytest.fixture
def kubeconfig(request: pytest.FixtureRequest) -> Path:
    """Path of the kubeconfig of the test's cluster."""
    return _cluster_of(request).kubeconfig


@pytest.fixture
def namespace(request: pytest.FixtureRequest) -> str:
    """Name of a new namespace in the test's cluster."""
    name = f"test-{uuid.uuid4().hex[:10]}"
    _cluster_of(request).apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    return name


@pytest.fixture
def memkube_hunt(request: pytest.FixtureRequest) -> "HuntReport":
    """The report of the hunt that the test's marker ``memkube_hunt`` describes."""
    from memkube.errors import UsageError  # noqa: PLC0415  see the module
    from memkube.hunting.hunter import hunt  # noqa: PLC0415  see the module

    marker = request.node.get_closest_marker("memkube_hunt")
    if marker is None or len(marker.args) != 1:
        raise pytest.UsageError(f"{request.node.nodeid}: the marker must be written as {_HUNT_HELP}")
    try:
        return hunt(request.path.parent / marker.args[0], **marker.kwargs)
    except (TypeError, UsageError) as error:
        raise pytest.UsageError(f"{request.node.nodeid}: memkube_hunt: {error}") from None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Reject a ``memkube`` marker on a test that does not use the cluster the marker would configure."""
    shared = [name for name in getattr(item, "fixturenames", ()) if name in _SHARED]
    if not shared or "memkube" in item.fixturenames:  # type: ignore[attr-defined]  # tests with fixtures have it
        return
    for node, _ in item.iter_markers_with_node("memkube"):
        if "memkube_module" not in shared or not isinstance(node, pytest.Module | pytest.Package):
            why = "a module takes its options from pytestmark, a session from the fixture memkube_options"
            raise pytest.UsageError(f"{item.nodeid}: the marker memkube has no effect on {shared[0]}: {why}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Record the revision and the number of requests of each cluster before the test function runs."""
    begun = item.config.stash[_clusters].begun
    for cluster in begun:
        begun[cluster] = (cluster.revision(), cluster.requests.answered())
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add to a failed test's report the changes in its clusters, its last requests and the missing RBAC rules."""
    report = yield
    if call.when == "call" and report.failed:
        folder: Path | None = item.config.getoption("--memkube-artifacts")
        for number, (cluster, (revision, answered)) in enumerate(item.config.stash[_clusters].begun.items()):
            sections = [(_SECTION, _changed(cluster, revision)), (_REQUESTS, _asked(cluster, answered))]
            sections = [(title, text) for title, text in (*sections, (_DENIED, _denied(cluster, answered))) if text]
            report.sections += sections
            if folder is not None:
                report.sections.append((_SAVED, _saved(cluster, folder / _folder_name(item, number), sections)))
    return report


def _folder_name(item: pytest.Item, number: int) -> str:
    """Return the folder name for a cluster of the failed test `item`. Clusters with a `number` above 0 get a suffix."""
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", item.nodeid.replace("::", "."))[-_LONGEST_NAME:].strip("-.")
    return f"{name}.{number + 1}" if number else name


def _saved(cluster: "Memkube", folder: Path, sections: list[tuple[str, str]]) -> str:
    """Save a cluster's snapshot and the report of a failed test in a folder.

    `sections` are the sections of the report, each with its title and text. Return the command that shows the snapshot;
    if saving fails, return the reason.
    """
    from memkube.errors import MemkubeError  # noqa: PLC0415  see the module

    try:
        folder.mkdir(parents=True, exist_ok=True)
        cluster.snapshot().save(folder / "snapshot.jsonl")
        text = "\n\n".join(f"{title}\n\n{lines}" for title, lines in sections)
        (folder / "report.txt").write_text(f"{text}\n")
    except (MemkubeError, OSError) as error:
        return f"not saved: {error}"
    return f"memkube ui {folder}"


def _started(request: pytest.FixtureRequest, defaults: Mapping[str, Any]) -> Any:
    """Start a cluster with `defaults` and the options of the ``memkube`` markers; the innermost marker wins."""
    choices = dict(defaults)
    for marker in reversed(list(request.node.iter_markers("memkube"))):
        if marker.args:
            raise pytest.UsageError(f"{request.node.nodeid}: the marker must be written as {_HELP}")
        choices.update(marker.kwargs)
    return request.config.stash[_clusters].started(choices, request.path.parent)


def _cluster_of(request: pytest.FixtureRequest) -> "Memkube":
    shared = [name for name in _SHARED if name in request.fixturenames]
    wanted = "memkube" if "memkube" in request.fixturenames or not shared else shared[0]
    cluster: Memkube = request.getfixturevalue(wanted)
    return cluster


def _located(manifests: Any, folder: Path) -> list[Any]:
    """Resolve relative paths of manifests against the folder of the test file."""
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
        return f"not available: {error}"


def _asked(cluster: "Memkube", answered: int) -> str:
    from memkube.errors import MemkubeError  # noqa: PLC0415  see the module

    try:
        asked = [str(request) for request in cluster.requests.after(answered)]
    except MemkubeError as error:
        return f"not available: {error}"
    earlier = [f"... {len(asked) - _MOST_REQUESTS} before"] if len(asked) > _MOST_REQUESTS else []
    return "\n".join([*earlier, *asked[-_MOST_REQUESTS:]])


def _denied(cluster: "Memkube", answered: int) -> str:
    """Return the requests refused for lack of a right since a test began, and the smallest rules that would allow them.

    `answered` is the number of the last request that was answered before the test.
    """
    from memkube.cluster.refusals import shown_refusals  # noqa: PLC0415  see the module
    from memkube.errors import MemkubeError  # noqa: PLC0415  see the module

    try:
        requests = cluster.requests.after(answered).denied().all()
        return "\n".join(shown_refusals(requests, cluster.audit(refused=True, after=answered))) if requests else ""
    except MemkubeError as error:
        return f"not available: {error}"
