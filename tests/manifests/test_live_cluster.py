import json
import stat
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from memkube.errors import Refused
from memkube.manifests.live_cluster import LiveCluster

_PLUGIN: Final = """\
#!/bin/sh
echo '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "of-a-plugin"}}'
"""


class _Paged(BaseHTTPRequestHandler):
    """A server whose second page is asked for too late, and which wants to know who asks."""

    def do_GET(self) -> None:
        if not self.headers["Authorization"]:
            self._answer(401, {"kind": "Status", "message": "Unauthorized", "reason": "Unauthorized"})
        elif "continue=" in self.path:
            self._answer(410, {"kind": "Status", "message": "too old", "reason": "Expired", "code": 410})
        elif "limit=" in self.path:
            self._answer(200, {"items": [{"n": 1}], "metadata": {"continue": "next"}})
        else:
            self._answer(200, {"items": [{"n": 1}, {"n": 2}], "metadata": {}, "who": self.headers["Authorization"]})

    def _answer(self, status: int, document: dict[str, Any]) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def url() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Paged)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def _cluster(path: Path, url: str, user: dict[str, Any]) -> LiveCluster:
    config = {
        "clusters": [{"name": "c", "cluster": {"server": url}}],
        "users": [{"name": "u", "user": user}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
    }
    path.write_text(yaml.safe_dump(config))
    return LiveCluster(str(path), "x")


def _plugin(folder: Path) -> str:
    path = folder / "plugin"
    path.write_text(_PLUGIN)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_a_plugin_is_asked_who_one_is(tmp_path: Path, url: str) -> None:
    execute = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": _plugin(tmp_path),
        "interactiveMode": "Never",
    }
    cluster = _cluster(tmp_path / "config", url, {"exec": execute})
    assert cluster.get("/")["who"] == "Bearer of-a-plugin"


def test_a_token_is_sent(tmp_path: Path, url: str) -> None:
    assert _cluster(tmp_path / "config", url, {"token": "mine"}).get("/")["who"] == "Bearer mine"


def test_a_refusal_is_told_with_its_address(tmp_path: Path, url: str) -> None:
    with pytest.raises(Refused, match="/api/v1/pods: Unauthorized") as refused:
        _cluster(tmp_path / "config", url, {}).get("/api/v1/pods")
    assert refused.value.code == 401


def test_a_list_whose_pages_are_forgotten_begins_again(tmp_path: Path, url: str) -> None:
    cluster = _cluster(tmp_path / "config", url, {"token": "mine"})
    assert [item["n"] for item in cluster.items("/api/v1/pods")] == [1, 2]
