import json
import os
import re
import signal
import socket
from pathlib import Path

import httpx
import pytest
import yaml

from tests.cli.processes import SOON, run_memkube, serving

_GRACE_AND_EXIT = 30.0
"""Time limit in seconds for the exit, less than the minute for which open requests may go on."""


def test_serve_prints_the_address_the_kubeconfig_and_a_line_to_copy(environment: dict[str, str]) -> None:
    with serving(environment) as server:
        assert server.printed == [
            f"memkube serves Kubernetes 1.36 at {server.url}",
            f"kubeconfig: {server.kubeconfig}",
            f"export KUBECONFIG={server.kubeconfig}",
        ]
        assert httpx.get(f"{server.url}/readyz", trust_env=False).text == "ok"


def test_serve_writes_a_kubeconfig_for_its_owner_alone(environment: dict[str, str], home: Path) -> None:
    with serving(environment) as server:
        assert server.kubeconfig.is_relative_to(home / "tmp")
        assert server.kubeconfig.stat().st_mode & 0o777 == 0o600
        config = yaml.safe_load(server.kubeconfig.read_text())
    assert config["clusters"][0]["cluster"]["server"] == server.url
    assert (home / ".kube" / "config").read_text() == "mine"


def test_serve_writes_the_kubeconfig_where_it_is_told_to(environment: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "new" / "kubeconfig"
    with serving(environment, "--kubeconfig", str(path)) as server:
        assert server.kubeconfig == path
        assert yaml.safe_load(path.read_text())["current-context"] == "memkube"


def test_the_line_to_copy_holds_in_any_folder(environment: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "a folder" / "kubeconfig"
    with serving(environment, "--kubeconfig", os.path.relpath(path)) as server:
        assert server.printed[2] == f"export KUBECONFIG='{path}'"


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_serve_ends_in_spite_of_an_open_watch(environment: dict[str, str], name: str) -> None:
    with serving(environment) as server:
        path = f"{server.url}/api/v1/namespaces?watch=true"
        with httpx.Client(trust_env=False, timeout=SOON) as client, client.stream("GET", path) as watch:
            assert json.loads(next(watch.iter_lines()))["type"] == "ADDED"
            server.process.send_signal(getattr(signal, name))
            assert server.process.wait(_GRACE_AND_EXIT) == 0
        assert server.process.communicate() == ("", "")
        assert not server.kubeconfig.exists()


def test_serve_says_in_one_line_that_the_port_is_taken(environment: dict[str, str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = run_memkube(environment, "serve", "--port", port)
    advice = "choose another port, or 0 for a free one"
    expected = f"memkube: cannot listen on 127.0.0.1:{port}: Address already in use; {advice}\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", expected)


def test_serve_says_in_one_line_that_a_controller_is_unknown(environment: dict[str, str]) -> None:
    done = run_memkube(environment, "serve", "--port", "0", "--controllers", "nobody")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("memkube: ")
    assert "nobody" in done.stderr
    assert done.stderr.count("\n") == 1


def test_serve_says_in_one_line_that_a_file_holds_no_key(environment: dict[str, str], home: Path) -> None:
    path = home / ".kube" / "config"
    done = run_memkube(environment, "serve", "--port", "0", "--service-account-signing-key-file", str(path))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("memkube: failed to parse service-account-issuer-key-file: ")
    assert done.stderr.count("\n") == 1


def test_serve_takes_the_flags_of_the_reference_about_tokens(environment: dict[str, str]) -> None:
    flags = ("--service-account-issuer", "https://a.example", "--api-audiences", "b,c")
    with serving(environment, "--controllers", "none", *flags) as server:
        found = httpx.get(f"{server.url}/.well-known/openid-configuration", trust_env=False).json()
        assert found["issuer"] == "https://a.example"
        accounts = f"{server.url}/api/v1/namespaces/default/serviceaccounts"
        httpx.post(accounts, json={"metadata": {"name": "robot"}}, trust_env=False)
        answer = httpx.post(f"{accounts}/robot/token", json={}, trust_env=False).json()
        assert answer["spec"]["audiences"] == ["b", "c"]


def test_serve_says_in_one_line_that_an_admission_plugin_is_unknown(environment: dict[str, str]) -> None:
    done = run_memkube(environment, "serve", "--port", "0", "--enable-admission-plugins", "PodPreset,Nobody")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith('memkube: enable-admission-plugins plugin "Nobody" is unknown')
    assert done.stderr.count("\n") == 1


def test_serve_adds_admission_plugins(environment: dict[str, str]) -> None:
    with serving(environment, "--enable-admission-plugins", "PodPreset") as server:
        presets = httpx.get(f"{server.url}/apis/settings.k8s.io/v1alpha1/podpresets", trust_env=False)
    assert presets.json()["kind"] == "PodPresetList"


@pytest.mark.parametrize("numbers", [("--nodes", "-1"), ("--zones", "0")])
def test_serve_says_in_one_line_that_a_number_makes_no_sense(
    environment: dict[str, str], numbers: tuple[str, str]
) -> None:
    done = run_memkube(environment, "serve", "--port", "0", *numbers)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("memkube: the number of ")
    assert done.stderr.count("\n") == 1


def test_serve_simulates_as_many_nodes_as_it_is_told_to(environment: dict[str, str]) -> None:
    with serving(environment, "--nodes", "3", "--zones", "3") as server:
        nodes = httpx.get(f"{server.url}/api/v1/nodes", trust_env=False).json()["items"]
    assert [node["metadata"]["labels"]["topology.kubernetes.io/zone"] for node in nodes] == [
        "zone-1",
        "zone-2",
        "zone-3",
    ]


def test_a_line_tells_of_each_request(environment: dict[str, str]) -> None:
    with serving(environment, "--controllers", "none", "-v") as server:
        assert server.process.stderr is not None
        headers = {"user-agent": "my-operator/1", "impersonate-user": "alice"}
        httpx.get(f"{server.url}/api/v1/namespaces/default/pods/web", headers=headers)
        line = server.process.stderr.readline()
    assert re.fullmatch(
        r"[\d:.]{12} my-operator as alice get pods/web -n default -> 404 NotFound \([\d.]+ ms\)\n", line
    )


def test_lines_may_be_json(environment: dict[str, str]) -> None:
    with serving(environment, "--controllers", "none", "-v", "--log-format", "json") as server:
        assert server.process.stderr is not None
        httpx.get(f"{server.url}/version", headers={"user-agent": "my-operator/1", "authorization": "Bearer a"})
        warning, request = (json.loads(server.process.stderr.readline()) for _ in range(2))
    assert (warning["level"], warning["logger"]) == ("warning", "memkube")
    assert (request["verb"], request["path"], request["client"], request["status"]) == (
        "get",
        "/version",
        "my-operator",
        200,
    )


def test_without_being_asked_nothing_is_told_of_requests(environment: dict[str, str]) -> None:
    with serving(environment, "--controllers", "none") as server:
        httpx.get(f"{server.url}/version")
        server.process.terminate()
        assert server.process.communicate()[1] == ""


def test_serve_simulates_the_nodes_of_a_pool_file(environment: dict[str, str], tmp_path: Path) -> None:
    pools = tmp_path / "pools.yaml"
    pools.write_text("pools: [{name: db, count: 2, zones: [zone-a]}]")
    with serving(environment, "--node-pools", str(pools)) as server:
        nodes = httpx.get(f"{server.url}/api/v1/nodes", trust_env=False).json()["items"]
        assert [node["metadata"]["name"] for node in nodes] == ["db-0", "db-1"]


def test_serve_refuses_a_pool_file_with_its_place(environment: dict[str, str], tmp_path: Path) -> None:
    pools = tmp_path / "pools.yaml"
    pools.write_text("pools: [{name: db, zone: zone-a}]")
    done = run_memkube(environment, "serve", "--port", "0", "--node-pools", str(pools))
    assert done.returncode != 0
    assert "pools.yaml: pools[0].zone: unknown field 'zone': did you mean 'zones'?" in done.stderr
