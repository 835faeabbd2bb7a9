import json
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from memkube.errors import Refused, ServerError
from memkube.manifests.live_cluster import LiveCluster
from tests.hooks.listening import LOOPBACK, Certificates, Received, http, listening

_PLUGIN: Final = """\
#!/bin/sh
echo '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "of-a-plugin"}}'
"""


def _answer(received: Received) -> bytes:
    """Answer a list: 401 without credentials, and 410 for its second page, as if it were requested too late."""
    who = received.headers.get("authorization")
    if not who:
        return _http(401, {"kind": "Status", "message": "Unauthorized", "reason": "Unauthorized"})
    if "continue=" in received.target:
        return _http(410, {"kind": "Status", "message": "too old", "reason": "Expired", "code": 410})
    if "limit=" in received.target:
        return _http(200, {"items": [{"n": 1}], "metadata": {"continue": "next"}})
    return _http(200, {"items": [{"n": 1}, {"n": 2}], "metadata": {}, "who": who})


def _http(status: int, document: dict[str, Any]) -> bytes:
    return http(json.dumps(document).encode(), f"{status} Said")


@pytest.fixture
def url() -> Iterator[str]:
    with listening(None, _answer) as server:
        yield f"http://127.0.0.1:{server.port}"


@pytest.fixture
def authority() -> Certificates:
    return Certificates.make()


@pytest.fixture
def secure_url(authority: Certificates) -> Iterator[str]:
    with listening(authority.issue(LOOPBACK), _answer) as server:
        yield f"https://127.0.0.1:{server.port}"


def _cluster(path: Path, url: str, user: dict[str, Any], **tls: Any) -> LiveCluster:
    config = {
        "clusters": [{"name": "c", "cluster": {"server": url, **tls}}],
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


def test_a_certificate_is_verified_by_the_authority_that_is_named(
    tmp_path: Path, secure_url: str, authority: Certificates
) -> None:
    trusted = {"certificate-authority-data": authority.encoded}
    cluster = _cluster(tmp_path / "config", secure_url, {"token": "mine"}, **trusted)
    assert cluster.get("/")["who"] == "Bearer mine"
    stranger = {"certificate-authority-data": Certificates.make().encoded}
    with pytest.raises(ServerError, match="certificate verify failed"):
        _cluster(tmp_path / "config", secure_url, {"token": "mine"}, **stranger).get("/")


def test_who_wants_no_verification_is_not_warned(tmp_path: Path, secure_url: str) -> None:
    cluster = _cluster(tmp_path / "config", secure_url, {"token": "mine"}, **{"insecure-skip-tls-verify": True})
    assert cluster.get("/")["who"] == "Bearer mine"
