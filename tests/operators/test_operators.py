"""Operators made with kopf, the official dynamic client and @kubernetes/client-node, from start to end."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from benchmarks.processes import free_port

from memkube.server.kubeconfig import write_kubeconfig
from memkube.server.server import Server
from memkube.server.settings import Settings
from tests.hooks.listening import LOOPBACK, Certificates
from tests.operators.cluster import Cluster, Object, connected

pytestmark = pytest.mark.slow
_EXAMPLE = Path(__file__).parents[2] / "examples" / "operator"
_DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_WEBSITES = "/apis/example.com/v1/namespaces/default/websites"
_DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
_CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
_HOOKS = "/apis/admissionregistration.k8s.io/v1"


@dataclass(frozen=True, slots=True)
class _Program:
    command: tuple[str, ...]
    finalizer: str
    missing: str = ""
    """Reason why the operator cannot run here; "" if it can."""


_PROGRAMS = {
    "kopf": _Program(
        (sys.executable, "-m", "kopf", "run", "--standalone", "--namespace=default", "website_operator.py"),
        "kopf.zalando.org/KopfFinalizerMarker",
    ),
    "dynamic client": _Program((sys.executable, "website_dynamic.py"), "example.com/goodbye"),
    "client-node": _Program(
        ("node", "website_node.js"),
        "example.com/goodbye",
        "" if (_EXAMPLE / "node_modules").exists() else "@kubernetes/client-node is not installed",
    ),
}


@pytest.fixture(scope="module", params=_PROGRAMS)
def program(request: pytest.FixtureRequest) -> _Program:
    """Each of the operators. All of them do the same."""
    chosen = _PROGRAMS[request.param]
    return pytest.skip(chosen.missing) if chosen.missing else chosen


@pytest.fixture(scope="module")
def operator(program: _Program, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster with a stepped clock, in which the operator, its definition and its webhooks run."""
    folder = tmp_path_factory.mktemp("operator")
    with Server(Settings(clock="stepped")).in_thread() as server, connected(server) as cluster:
        cluster.create(_DEFINITIONS, (_EXAMPLE / "website.yaml").read_text()).raise_for_status()
        write_kubeconfig(folder / "kubeconfig", server.url)
        with _running(program, folder, _webhooks(folder)):
            for plural in ("mutatingwebhookconfigurations", "validatingwebhookconfigurations"):
                cluster.wait_for(f"{_HOOKS}/{plural}/websites.example.com", lambda one: one.get("webhooks"))
            yield cluster


def _webhooks(folder: Path) -> dict[str, str]:
    """Environment variables with which an operator serves webhooks."""
    certificates = Certificates.make()
    (folder / "authority.pem").write_bytes(certificates.bundle)
    (folder / "certificate.pem").write_bytes(certificates.issue(LOOPBACK))
    return {
        "WEBHOOK_PORT": str(free_port()),
        "WEBHOOK_CERTIFICATE": os.fspath(folder / "certificate.pem"),
        "WEBHOOK_AUTHORITY": os.fspath(folder / "authority.pem"),
    }


@contextmanager
def _running(program: _Program, folder: Path, webhooks: Mapping[str, str]) -> Iterator[None]:
    environment = {**os.environ, "KUBECONFIG": os.fspath(folder / "kubeconfig"), **webhooks}
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(program.command, cwd=_EXAMPLE, env=environment, stdout=log, stderr=log)
        try:
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)
            sys.stdout.write((folder / "log").read_text())


def _website(name: str, **spec: object) -> str:
    return yaml.dump({"apiVersion": "example.com/v1", "kind": "Website", "metadata": {"name": name}, "spec": spec})


def test_a_website_gets_its_defaults_from_the_schema_and_from_the_webhook(operator: Cluster) -> None:
    spec = operator.create(_WEBSITES, _website("plain")).raise_for_status().json()["spec"]
    assert spec == {"image": "nginx:1", "host": "plain.example.com", "replicas": 1, "maxReplicas": 5}


def test_the_validating_webhook_refuses(operator: Cluster) -> None:
    refused = operator.create(_WEBSITES, _website("moving", image="nginx:latest"))
    webhook = '"refuse-moving-tags.websites.example.com"'
    assert refused.status_code == 422
    assert refused.json()["message"] == (
        f"admission webhook {webhook} denied the request: the image has a tag that moves"
    )


def test_a_rule_of_the_definition_refuses(operator: Cluster) -> None:
    refused = operator.create(_WEBSITES, _website("many", replicas=6))
    assert refused.status_code == 422
    assert refused.json()["message"].endswith("spec: Invalid value: there may not be more replicas than maxReplicas")


def test_a_website_is_served_changed_and_taken_down(operator: Cluster, program: _Program) -> None:
    operator.create(_WEBSITES, _website("web", replicas=2)).raise_for_status()
    deployment = operator.wait_for(f"{_DEPLOYMENTS}/web", lambda found: found["spec"]["replicas"] == 2)
    assert deployment["metadata"]["ownerReferences"][0]["kind"] == "Website"
    operator.advance(30)
    operator.wait_for(f"{_WEBSITES}/web", lambda site: site.get("status", {}).get("readyReplicas") == 2)

    operator.patch(f"{_WEBSITES}/web", {"spec": {"replicas": 3}}).raise_for_status()
    operator.wait_for(f"{_DEPLOYMENTS}/web", lambda found: found["spec"]["replicas"] == 3)
    operator.advance(30)
    operator.wait_for(f"{_WEBSITES}/web", lambda site: site["status"].get("readyReplicas") == 3)

    site = operator.get(f"{_WEBSITES}/web")
    assert site["metadata"]["finalizers"] == [program.finalizer]
    operator.delete(f"{_WEBSITES}/web")
    operator.wait_for(f"{_CONFIG_MAPS}/goodbye-web", lambda found: found)
    operator.wait_for_deletion(f"{_DEPLOYMENTS}/web")


def test_an_operator_without_webhooks_serves_a_website(program: _Program, tmp_path: Path) -> None:
    with Server(Settings()).in_thread() as server, connected(server) as cluster:
        cluster.create(_DEFINITIONS, (_EXAMPLE / "website.yaml").read_text()).raise_for_status()
        write_kubeconfig(tmp_path / "kubeconfig", server.url)
        cluster.wait_for(f"{_DEFINITIONS}/websites.example.com", _is_established)
        with _running(program, tmp_path, {}):
            cluster.create(_WEBSITES, _website("plain")).raise_for_status()
            cluster.wait_for(f"{_DEPLOYMENTS}/plain", lambda found: found)
            _take_down(cluster, "plain")


@pytest.mark.parametrize("how", ["cleanly", "dropped", "expired"])
def test_a_website_is_changed_while_its_operator_sees_nothing(operator: Cluster, how: str) -> None:
    operator.create(_WEBSITES, _website(how)).raise_for_status()
    operator.wait_for(f"{_DEPLOYMENTS}/{how}", lambda found: found["spec"]["replicas"] == 1)
    held = {"verbs": ["watch"], "resources": ["websites"]}
    with operator.fault(match=held, effect={"type": "delayEvents"}):
        operator.patch(f"{_WEBSITES}/{how}", {"spec": {"replicas": 2}}).raise_for_status()
        operator.break_watches("websites", how)
    operator.wait_for(f"{_DEPLOYMENTS}/{how}", lambda found: found["spec"]["replicas"] == 2)
    _take_down(operator, how)


def test_a_website_is_served_though_its_first_writes_are_refused(operator: Cluster) -> None:
    refusal = {"type": "error", "code": 429, "retryAfterSeconds": 1}
    writes = {"verbs": ["patch", "update"], "resources": ["websites"]}
    with operator.fault(match=writes, when={"first": 1}, effect=refusal):
        operator.create(_WEBSITES, _website("refused")).raise_for_status()
        operator.wait_for(f"{_DEPLOYMENTS}/refused", lambda found: found)
    _take_down(operator, "refused")


def _is_established(definition: Object) -> bool:
    conditions = definition["status"]["conditions"] or ()
    return any((found["type"], found["status"]) == ("Established", "True") for found in conditions)


def _take_down(operator: Cluster, name: str) -> None:
    """Delete a Website, so that the operator has nothing to do when it is stopped.

    While kopf stops, it answers no webhook, and would wait for the deletion of the Website.
    """
    operator.delete(f"{_WEBSITES}/{name}")
    operator.wait_for_deletion(f"{_WEBSITES}/{name}")
