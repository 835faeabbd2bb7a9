import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long
_EXAMPLES = Path(__file__).parents[1] / "examples"
_RUN = (sys.executable, "-m", "memkube", "run")
_MEMKUBE = (*_RUN, "--")
_needs_kubectl = pytest.mark.skipif(shutil.which("kubectl") is None, reason="there is no kubectl on PATH")


def _run(tmp_path: Path, *command: str | Path) -> str:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    # Leave out plugins that only this project's own tests need: importing them takes longer than running an example.
    plugins = {"PYTEST_ADDOPTS": "-p no:schemathesis -p no:hypothesispytest"}
    environment = {**kept, **plugins, "HOME": str(tmp_path)}
    done = subprocess.run(command, env=environment, text=True, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.kubectl
@_needs_kubectl
def test_kubectl_walks_from_nothing_to_a_pod_and_back(tmp_path: Path) -> None:
    printed = _run(tmp_path, *_MEMKUBE, "sh", _EXAMPLES / "kubectl_walk.sh")
    assert "pod/web created" in printed
    assert 'pod "web" deleted' in printed


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl on PATH")
def test_curl_walks_through_the_api(tmp_path: Path) -> None:
    assert _run(tmp_path, *_MEMKUBE, "sh", _EXAMPLES / "curl_walk.sh") == "done\n"


def test_a_watch_prints_what_happens_to_pods(tmp_path: Path) -> None:
    printed = _run(tmp_path, *_MEMKUBE, sys.executable, _EXAMPLES / "watch_pods.py").splitlines()
    assert [line for line in printed if line.startswith("ADDED")] == ["ADDED a", "ADDED b", "ADDED c"]
    assert printed[-1] == "DELETED c"


@pytest.mark.slow
def test_a_budget_refuses_to_let_the_last_pod_go(tmp_path: Path) -> None:
    printed = _run(tmp_path, *_MEMKUBE, sys.executable, _EXAMPLES / "drain.py")
    assert printed == "a evicted\nb 429 Too Many Requests\n"


@pytest.mark.slow
def test_the_pods_of_a_lost_node_are_replaced(tmp_path: Path) -> None:
    serve = (*_RUN, "--clock", "stepped", "--nodes", "3", "--")
    assert _run(tmp_path, *serve, sys.executable, _EXAMPLES / "failed_node.py").splitlines() == [
        "3 pods are ready",
        "one minute later the node is Unknown and 2 pods are ready",
        "after six and a half 3 pods are ready, 0 of them on it",
        "it comes back, is ready: True and 3 pods are left",
    ]


@pytest.mark.slow
@pytest.mark.kubectl
@_needs_kubectl
def test_a_drain_under_a_budget_goes_as_documented(tmp_path: Path) -> None:
    serve = (*_RUN, "--clock", "stepped", "--nodes", "3", "--")
    printed = _run(tmp_path, *serve, sys.executable, _EXAMPLES / "disruptions.py")
    assert printed.endswith("All this is what the documentation says.\n")


@pytest.mark.slow
@pytest.mark.kubectl
@_needs_kubectl
def test_the_first_pod_of_the_documentation_greets(tmp_path: Path) -> None:
    printed = _run(tmp_path, *_MEMKUBE, "sh", _EXAMPLES / "hello.sh").splitlines()
    assert printed[-2:] == ["Hello, Kubernetes!", "Hello from hello!"]


@pytest.mark.slow
@pytest.mark.kubectl
@_needs_kubectl
def test_pods_are_spread_over_zones(tmp_path: Path) -> None:
    printed = _run(tmp_path, *_RUN, "--nodes", "6", "--zones", "3", "--", "sh", _EXAMPLES / "spread.sh").splitlines()
    counts = [line.split() for line in printed if line.endswith(("zone-1", "zone-2", "zone-3", "<none>"))]
    even, full = ([[count, f"zone-{number}"] for number in (1, 2, 3)] for count in "23")
    assert counts == [*even, ["1", "<none>"], *full[:2], even[2], *full]
    assert [line for line in printed if "4 node(s) didn't match pod topology spread constraints" in line]


@pytest.mark.slow
def test_a_crash_loop_waits_ever_longer(tmp_path: Path) -> None:
    printed = _run(tmp_path, sys.executable, _EXAMPLES / "crash_loop.py").splitlines()
    assert printed[:2] == ["   0 s: restart 1, then back-off 10s", "  10 s: restart 2, then back-off 20s"]
    assert printed[-2] == " 910 s: restart 8, then back-off 5m0s"


@pytest.mark.slow
def test_the_pytest_example_passes(tmp_path: Path) -> None:
    printed = _run(tmp_path, sys.executable, "-m", "pytest", "-q", _EXAMPLES / "test_with_pytest.py")
    assert "2 passed" in printed


@pytest.mark.slow
def test_an_update_that_an_operator_loses_is_found(tmp_path: Path) -> None:
    printed = _run(tmp_path, sys.executable, "-m", "pytest", "-q", _EXAMPLES / "lost_update")
    assert "3 passed" in printed


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node on PATH")
@pytest.mark.skipif(
    not (_EXAMPLES / "node" / "node_modules").exists(), reason="@kubernetes/client-node is not installed"
)
def test_the_tests_in_javascript_pass(tmp_path: Path) -> None:
    tests = _EXAMPLES / "node" / "counter.test.js"
    printed = _run(tmp_path, *_RUN, "--clock", "stepped", "--", "node", "--test", "--test-reporter=tap", tests)
    assert "# pass 3\n# fail 0\n" in printed
