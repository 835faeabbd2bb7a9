"""The servers behind a proxy in docs/several-servers.md, with other ports."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import httpx
import pytest
from benchmarks.processes import free_port

from tests.cli.processes import SOON

pytestmark = [pytest.mark.long, pytest.mark.slow]

_ROOT: Final = Path(__file__).parents[2]
_section = re.compile(r"^# Several servers$.*?^```sh$(.*?)^```$", re.MULTILINE | re.DOTALL)
_PODS: Final = "/api/v1/namespaces/default/pods"
_MISSING: Final = [
    name for name in ("etcd", "haproxy") if shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin") is None
]


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[str]:
    """The URL of the proxy, once both servers are available through it."""
    if _MISSING:
        pytest.skip(f"there is no {' and no '.join(_MISSING)} on PATH")
    (script,) = _section.findall((_ROOT / "docs/several-servers.md").read_text())
    ports = {number: free_port() for number in (2379, 8080, 8081, 8082)}
    script = re.sub("|".join(map(str, ports)), lambda found: str(ports[int(found[0])]), script)
    client, peer = (f"http://127.0.0.1:{port}" for port in (ports[2379], free_port()))
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}:/usr/sbin",
        "ETCD_LISTEN_CLIENT_URLS": client,
        "ETCD_ADVERTISE_CLIENT_URLS": client,
        "ETCD_LISTEN_PEER_URLS": peer,
        "ETCD_INITIAL_ADVERTISE_PEER_URLS": peer,
        "ETCD_INITIAL_CLUSTER": f"default={peer}",
        "ETCD_UNSAFE_NO_FSYNC": "true",
    }
    with (tmp_path / "log").open("wb") as log:
        words = ["bash", "-c", script]
        process = subprocess.Popen(words, cwd=tmp_path, env=environment, stdout=log, stderr=log, start_new_session=True)
    try:
        for port in (ports[8081], ports[8082], ports[8080]):
            _wait_for(f"http://127.0.0.1:{port}/readyz")
        yield f"http://127.0.0.1:{ports[8080]}"
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _wait_for(url: str) -> None:
    """Wait until a server at a URL is ready."""
    until = time.monotonic() + 2 * SOON
    while time.monotonic() < until:
        try:
            if httpx.get(url, trust_env=False).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise AssertionError(f"{url} is not ready")


def test_a_cluster_behind_a_proxy_is_one_cluster(proxy: str) -> None:
    with httpx.Client(base_url=proxy, trust_env=False, timeout=SOON) as client:
        command = ["sh", "-c", "echo hello; sleep 1000"]
        containers = [{"name": "app", "image": "busybox", "command": command}]
        body = {"metadata": {"name": "web"}, "spec": {"containers": containers}}
        client.post(_PODS, json=body).raise_for_status()
        kubectl = ["kubectl", "--server", proxy]
        ready = [*kubectl, "wait", "--for=condition=Ready", "pod/web", f"--timeout={SOON}s"]
        subprocess.run(ready, check=True, capture_output=True, timeout=2 * SOON)
        # Each request has its own connection, and the proxy distributes connections to the servers in turn.
        for _ in range(4):
            assert httpx.get(f"{proxy}{_PODS}/web/log", trust_env=False, timeout=SOON).text == "hello\n"
            done = subprocess.run(
                [*kubectl, "exec", "web", "--", "echo", "there"], check=False, capture_output=True, text=True
            )
            assert (done.stdout, done.returncode) == ("there\n", 0), done.stderr
