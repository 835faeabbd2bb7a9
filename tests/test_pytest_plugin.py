"""Tests of the pytest plugin as its users run it: in a folder of their own, and in a separate pytest."""

import json
import resource
import sys
import tomllib
from pathlib import Path

import pytest

from memkube.cluster.snapshots import load_snapshot
from tests.processor import slowness

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.long

_TEN_LINES = """
def test_a_config_map_keeps_what_it_is_given(memkube):
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"colour": "blue"}}
    memkube.apply(body)
    assert memkube.object("configmaps", "settings")["data"] == {"colour": "blue"}


def test_the_next_test_has_a_cluster_of_its_own(memkube):
    names = [found["metadata"]["name"] for found in memkube.objects("configmaps", "default")]
    assert "settings" not in names
"""
_CONFIG_MAP = """
def config_map(name, **data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}
"""


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> "Run":
    """Run pytest in an empty folder with this plugin, whether the package is installed or not."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1] / "src"))
    return Run(pytester)


class Run:
    """Runs a separate pytest."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self._pytester = pytester
        self.folder = pytester.path

    def __call__(self, text: str, *options: str, **files: str) -> pytest.RunResult:
        """Run a test file; return pytest's output."""
        self._pytester.makepyfile(test_it=text, **files)
        plugins = ("-p", "memkube.pytest_plugin", "-p", "anyio.pytest_plugin")
        return self._pytester.runpytest_subprocess(*plugins, "-Werror", "--strict-markers", *options, timeout=120)


def test_the_package_tells_pytest_of_the_plugin() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    assert project["project"]["entry-points"]["pytest11"] == {"memkube": "memkube.pytest_plugin"}


def test_ten_lines_in_an_empty_folder_pass(run: Run) -> None:
    run(_TEN_LINES).assert_outcomes(passed=2)


def test_without_a_fixture_nothing_of_the_server_is_imported(run: Run) -> None:
    text = """
    import sys

    def test_it():
        assert not {"pydantic", "uvicorn", "yaml", "memkube.server.server", "memkube.cluster"} & {*sys.modules}
    """
    run(text).assert_outcomes(passed=1)


@pytest.mark.slow
def test_the_servers_own_assertions_are_not_rewritten(run: Run) -> None:
    text = """
    import sys

    def test_it(memkube):
        modules = [module for name, module in sys.modules.items() if name.startswith("memkube.cluster")]
        loaders = {type(module.__loader__).__name__ for module in modules}
        assert loaders == {"SourceFileLoader"}
    """
    run(text, conftest="import pytest\npytest.register_assert_rewrite('memkube.cluster')").assert_outcomes(passed=1)


def test_markers_choose_the_innermost_decides(run: Run) -> None:
    text = """
    import pytest

    pytestmark = pytest.mark.memkube(nodes=2, zones=2, clock="stepped")

    @pytest.mark.memkube(nodes=3, manifests=["shop.yaml"])
    def test_of_a_test(memkube):
        assert [node.zone for node in memkube.nodes] == ["zone-1", "zone-2", "zone-1"]
        before = memkube.clock.now()
        assert (memkube.clock.advance(3600) - before).total_seconds() == 3600
        assert memkube.object("namespaces", "shop")

    def test_of_the_module(memkube_module, kubeconfig, namespace):
        assert len(list(memkube_module.nodes)) == 2
        assert memkube_module.url in kubeconfig.read_text()
        assert memkube_module.object("namespaces", namespace)

    @pytest.mark.memkube(controllers="none", admission=["AlwaysPullImages"])
    def test_without_controllers(memkube):
        assert memkube.objects("nodes") == []
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}}
        (pod,) = memkube.apply({**pod, "spec": {"containers": [{"name": "main", "image": "nginx:1"}]}})
        assert pod["spec"]["containers"][0]["imagePullPolicy"] == "Always"
    """
    (run.folder / "shop.yaml").write_text("apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n")
    run(text).assert_outcomes(passed=3)


_HUNTED = """
import pytest

@pytest.mark.memkube_hunt("hunt.yaml", budget=1, patterns=["restart"], seed=7)
def test_it(memkube_hunt):
    assert memkube_hunt.seed == 7
    assert memkube_hunt.runs >= 3
    assert not memkube_hunt.findings
"""
_IDLE_OPERATOR = """
import os, time, urllib.request

with open(os.environ["KUBECONFIG"]) as config:
    words = config.read().split()
server, token = (words[words.index(name) + 1] for name in ("server:", "token:"))
request = urllib.request.Request(server + "/version", headers={"Authorization": "Bearer " + token})
urllib.request.urlopen(request).read()
time.sleep(600)
"""


def test_a_marker_describes_a_hunt(run: Run) -> None:
    config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}}
    operator = {"command": [sys.executable, "idle.py"]}
    (run.folder / "idle.py").write_text(_IDLE_OPERATOR)
    (run.folder / "hunt.yaml").write_text(json.dumps({"operator": operator, "workload": [{"apply": config_map}]}))
    run(_HUNTED).assert_outcomes(passed=1)


def test_a_hunt_that_does_not_exist_is_an_error(run: Run) -> None:
    result = run(_HUNTED)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*memkube_hunt: *hunt.yaml*"])


def test_a_failure_tells_what_the_test_changed(run: Run) -> None:
    text = f"""{_CONFIG_MAP}
def test_before(memkube_session):
    memkube_session.apply(config_map("kept", colour="blue"), config_map("untouched"))

def test_it(memkube_session, namespace):
    memkube_session.apply(config_map("kept", colour="red"), config_map("new"))
    assert False
"""
    result = run(text, conftest=_OPTIONS)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*memkube: what the test changed*", "~ configmaps default/kept"])
    result.stdout.fnmatch_lines(["    -  colour: blue", "    +  colour: red", "+ configmaps default/new"])
    result.stdout.no_fnmatch_line("*untouched*")
    result.stdout.no_fnmatch_line("* namespaces test-*")


def test_a_failure_shows_what_was_asked_during_the_test(run: Run) -> None:
    text = """
import urllib.request

def ask(kube, name):
    asked = urllib.request.Request(f"{kube.url}/api/v1/namespaces/{name}", headers={"user-agent": "my-operator/1"})
    urllib.request.urlopen(asked).read()

def test_before(memkube_session):
    ask(memkube_session, "default")

def test_it(memkube_session):
    for _ in range(31):
        ask(memkube_session, "kube-system")
    assert False
"""
    result = run(text, conftest=_OPTIONS)
    result.assert_outcomes(passed=1, failed=1)
    line = "*my-operator get namespaces/kube-system -> 200 (* ms)"
    result.stdout.fnmatch_lines(["*memkube: the last requests of the test*", "... 1 before", line])
    result.stdout.no_fnmatch_line("*get namespaces/default*")


def test_choices_that_would_be_passed_over_are_refused(run: Run) -> None:
    text = """
    import pytest

    @pytest.mark.memkube(nodes=2)
    def test_of_a_session(memkube_session): ...

    @pytest.mark.memkube(nodes=2)
    def test_of_a_module(memkube_module): ...

    @pytest.mark.memkube(node=2)
    def test_of_a_wrong_word(memkube): ...

    @pytest.mark.memkube(controllers="clock")
    def test_of_a_wrong_name(memkube): ...
    """
    result = run(text)
    result.assert_outcomes(errors=4)
    for words in (
        "no effect on memkube_session",
        "no effect on memkube_module",
        "unknown option 'node': did you mean 'nodes'",
        "unknown controller 'clock'",
    ):
        result.stdout.fnmatch_lines([f"*{words}*"])


def test_asynchronous_tests_await_it(run: Run) -> None:
    text = f"""{_CONFIG_MAP}
import pytest

@pytest.fixture(params=["asyncio"])
def anyio_backend(request):
    return request.param

@pytest.mark.anyio
async def test_it(async_memkube, memkube, namespace):
    await async_memkube.apply(config_map("settings"), namespace=namespace)
    assert await async_memkube.wait_for("configmaps", "settings", "create", namespace=namespace)
    assert memkube.url == async_memkube.url
"""
    run(text).assert_outcomes(passed=1)


_OPTIONS = """
import pytest

@pytest.fixture(scope="session")
def memkube_options():
    return {"controllers": "none"}
"""


@pytest.mark.slow
def test_fixtures_of_pytest_asyncio_await_it_too(run: Run) -> None:
    text = f"""{_CONFIG_MAP}
import pytest_asyncio

@pytest_asyncio.fixture
async def settings(async_memkube):
    await async_memkube.apply(config_map("settings", colour="blue"))
    return await async_memkube.object("configmaps", "settings")

async def test_it(settings, async_memkube, memkube, namespace):
    assert settings["data"] == {{"colour": "blue"}}
    assert await async_memkube.wait_for("configmaps", "settings", lambda found: found["data"])
    assert memkube.url == async_memkube.url
"""
    options = ("-o", "asyncio_mode=auto", "-o", "asyncio_default_fixture_loop_scope=function")
    run(text, "-p", "pytest_asyncio.plugin", *options).assert_outcomes(passed=1)


@pytest.mark.slow
def test_processes_of_xdist_have_clusters_of_their_own(run: Run) -> None:
    text = f"""{_CONFIG_MAP}
import os
import pytest

@pytest.mark.parametrize("number", range(6))
def test_it(memkube, memkube_session, kubeconfig, namespace, number):
    memkube.apply(config_map("settings", number=str(number)))
    assert memkube.object("configmaps", "settings")["data"] == {{"number": str(number)}}
    memkube_session.apply(config_map(f"of-{{number}}", by=os.environ["PYTEST_XDIST_WORKER"]))
    theirs = {{found["data"].get("by") for found in memkube_session.objects("configmaps", "default")}}
    assert theirs - {{None}} == {{os.environ["PYTEST_XDIST_WORKER"]}}
"""
    run(text, "-p", "xdist.plugin", "--numprocesses=2").assert_outcomes(passed=6)


@pytest.mark.slow
def test_the_report_of_a_process_of_xdist_tells_what_the_test_changed(run: Run) -> None:
    text = f"""{_CONFIG_MAP}
def test_it(memkube):
    memkube.apply(config_map("settings"))
    raise AssertionError
"""
    result = run(text, "-p", "xdist.plugin", "--numprocesses=2")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*memkube: what the test changed*", "+ configmaps default/settings"])


_MANY = f"""{_CONFIG_MAP}
import pytest

SPEC = {{"containers": [{{"name": "web", "image": "nginx"}}]}}

@pytest.mark.parametrize("number", range(50))
def test_it(memkube, number):
    memkube.apply(config_map("settings", number=str(number)))
    assert memkube.object("configmaps", "settings")["data"] == {{"number": str(number)}}

@pytest.mark.parametrize("number", range(20))
def test_a_pod_runs(memkube, number):
    memkube.apply({{"apiVersion": "v1", "kind": "Pod", "metadata": {{"name": "web"}}, "spec": SPEC}})
    memkube.wait_for("pods", "web", "condition=Ready")
"""


@pytest.mark.alone
def test_fifty_tests_with_a_cluster_each_and_twenty_with_pods_take_seconds(run: Run) -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(_MANY).assert_outcomes(passed=70)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Processor time, which does not depend on the load of the machine: about one second, and two seconds of imports.
    assert after.ru_utime - before.ru_utime < 6 * slowness()


def test_a_failure_tells_which_rules_are_missing(run: Run) -> None:
    text = """
    import pytest

    @pytest.mark.memkube(authorization="RBAC", controllers="none")
    def test_it(memkube):
        alice = memkube.user("alice")
        for _ in range(2):
            with pytest.raises(Exception):
                alice.list("pods", namespace="default")
        alice.list("nodes")
    """
    printed = run(text).stdout
    printed.fnmatch_lines(
        [
            "*- memkube: requests that no role allowed -*",
            'pods is forbidden: User "alice" cannot list * in the namespace "default" (2 times)',
            'nodes is forbidden: User "alice" cannot list resource "nodes" in API group "" at the cluster scope',
            "these rules are missing for alice:",
            "  ClusterRole:",
            "  - apiGroups: [[]'']",
            "    resources: [[]nodes]",
            "    verbs: [[]list]",
            "  Role in namespace default:",
            "  - apiGroups: [[]'']",
            "    resources: [[]pods]",
            "    verbs: [[]list]",
        ],
        consecutive=False,
    )


def test_a_failed_test_leaves_its_cluster_in_a_folder_that_the_page_shows(run: Run) -> None:
    text = (
        _CONFIG_MAP
        + """
def test_it(memkube):
    memkube.apply(config_map("left", colour="blue"))
    assert False
"""
    )
    result = run(text, "--memkube-artifacts", "left-behind")
    result.stdout.fnmatch_lines(["*memkube: what the test left behind*", "memkube ui left-behind/test_it.py.test_it"])
    folder = run.folder / "left-behind" / "test_it.py.test_it"
    assert "/core/configmaps/default/left" in load_snapshot(folder / "snapshot.jsonl").objects.objects
    assert "+ configmaps default/left" in (folder / "report.txt").read_text()


def test_a_passed_test_leaves_nothing_behind(run: Run) -> None:
    run("def test_it(memkube): pass", "--memkube-artifacts", "left-behind").assert_outcomes(passed=1)
    assert not (run.folder / "left-behind").exists()
