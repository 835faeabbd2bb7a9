import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from memkube.server.server import Server
from memkube.server.settings import Settings
from tests.auth.authentication.test_request_headers import CLIENTS, PROXIES, settings
from tests.auth.certificates import Authority, client_of

CONFIG_MAPS = "/api/v1/namespaces/kube-system/configmaps"
CONFIG_MAP = f"{CONFIG_MAPS}/extension-apiserver-authentication"


@pytest.fixture(autouse=True)
def _files_are_checked_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memkube.auth.authentication.changing_files._PAUSE", 0)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with Server(replace(settings(tmp_path), clock="stepped")).in_thread() as running:
        yield running


@pytest.fixture
def client(server: Server, tmp_path: Path) -> Iterator[httpx.Client]:
    with client_of(server, tmp_path) as talking:
        yield talking


def data(server: Server, client: httpx.Client) -> Any:
    server.advance(0.1)
    return client.get(CONFIG_MAP).raise_for_status().json()["data"]


def test_the_config_map_has_the_authorities_and_the_headers(server: Server, client: httpx.Client) -> None:
    assert data(server, client) == {
        "client-ca-file": CLIENTS.own.pem.decode(),
        "requestheader-client-ca-file": PROXIES.own.pem.decode(),
        "requestheader-allowed-names": '["front-proxy"]',
        "requestheader-username-headers": '["X-Other-User","X-Remote-User"]',
        "requestheader-uid-headers": '["X-Remote-Uid"]',
        "requestheader-group-headers": '["X-Remote-Group","X-Other-Group"]',
        "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
    }


def test_a_deleted_config_map_is_created_again(server: Server, client: httpx.Client) -> None:
    before = data(server, client)
    client.delete(CONFIG_MAP).raise_for_status()
    assert data(server, client) == before


def test_what_other_servers_have_written_stays(server: Server, client: httpx.Client) -> None:
    other, expired = Authority.created("other"), Authority.created("expired").client(days=(-3, -2))
    ours = data(server, client)
    changed = ours | {
        "client-ca-file": (other.own.pem + expired.pem).decode(),
        "requestheader-allowed-names": '["their-proxy","front-proxy"]',
        "unknown": "text",
    }
    client.patch(
        CONFIG_MAP, content=json.dumps({"data": changed}), headers={"Content-Type": "application/merge-patch+json"}
    ).raise_for_status()
    server.advance(61)
    assert data(server, client) == ours | {
        "client-ca-file": (other.own.pem + CLIENTS.own.pem).decode(),
        "requestheader-allowed-names": '["their-proxy","front-proxy"]',
    }


def test_a_new_authority_in_the_file_is_added(server: Server, client: httpx.Client, tmp_path: Path) -> None:
    server.advance(3600)
    new = Authority.created("new").own.pem
    (file,) = (path for path in tmp_path.rglob("*") if path.is_file() and path.read_bytes() == PROXIES.own.pem)
    file.write_bytes(new)
    server.advance(61)
    assert data(server, client)["requestheader-client-ca-file"] == (PROXIES.own.pem + new).decode()


def test_a_server_without_authorities_has_no_config_map() -> None:
    with Server(Settings(controllers=())).in_thread() as server:
        assert httpx.get(f"{server.url}{CONFIG_MAP}", trust_env=False).status_code == 404


def test_the_first_config_map_is_as_if_the_controller_had_created_it(server: Server, client: httpx.Client) -> None:
    def written() -> Any:
        server.advance(0.1)
        found = client.get(CONFIG_MAP).raise_for_status().json()
        for name in ("uid", "resourceVersion", "creationTimestamp"):
            del found["metadata"][name]
        del found["metadata"]["managedFields"][0]["time"]
        return found

    first = written()
    client.delete(CONFIG_MAP).raise_for_status()
    assert written() == first


def test_the_start_imports_no_admission_plugin(tmp_path: Path) -> None:
    file, _ = CLIENTS.own.written(tmp_path, "clients")
    code = f"""
import sys
from pathlib import Path
from memkube.auth.authorization.webhook.options import ConfiguredAuthorizers
from memkube.auth.authentication.options import AuthenticationOptions
from memkube.server.server import Server
from memkube.server.serving_certificate import TlsOptions
from memkube.server.settings import Settings
options = AuthenticationOptions(client_ca_file=Path({str(file)!r}))
authorizers = ConfiguredAuthorizers(("RBAC",))
settings = Settings(controllers=(), tls=TlsOptions(), authentication=options, authorizers=authorizers)
with Server(settings).in_thread():
    print([name for name in sys.modules if name.startswith("memkube.admission.webhooks")])
"""
    done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, check=True)
    assert done.stdout == "[]\n"
