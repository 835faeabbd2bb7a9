from collections.abc import Iterator
from datetime import UTC, datetime

import httpx
import pytest

from memkube.auth.authentication.options import AuthenticationOptions
from memkube.auth.authorization.webhook.options import ConfiguredAuthorizers
from memkube.controllers.framework.informers import Informers
from memkube.endpoints.routers.health import Checks, Unhealthy
from memkube.server.app import create_core
from memkube.server.server import Server
from memkube.server.settings import Settings

_BOOT_SEQUENCE = [
    "poststarthook/start-apiserver-admission-initializer",
    "poststarthook/generic-apiserver-start-informers",
    "poststarthook/priority-and-fairness-config-consumer",
    "poststarthook/priority-and-fairness-filter",
    "poststarthook/storage-object-count-tracker-hook",
    "poststarthook/start-apiextensions-informers",
    "poststarthook/start-apiextensions-controllers",
    "poststarthook/crd-informer-synced",
    "poststarthook/start-system-namespaces-controller",
    "poststarthook/peer-endpoint-reconciler-controller",
    "poststarthook/start-cluster-authentication-info-controller",
    "poststarthook/start-kube-apiserver-identity-lease-controller",
    "poststarthook/start-kube-apiserver-identity-lease-garbage-collector",
    "poststarthook/storage-readiness",
    "poststarthook/start-legacy-token-tracking-controller",
    "poststarthook/start-service-ip-repair-controllers",
    "poststarthook/scheduling/bootstrap-system-priority-classes",
    "poststarthook/priority-and-fairness-config-producer",
    "poststarthook/bootstrap-controller",
    "poststarthook/start-kubernetes-service-cidr-controller",
    "poststarthook/start-kube-aggregator-informers",
    "poststarthook/apiservice-status-local-available-controller",
    "poststarthook/apiservice-status-remote-available-controller",
    "poststarthook/apiservice-registration-controller",
    "poststarthook/apiservice-discovery-controller",
    "poststarthook/kube-apiserver-autoregistration",
    "autoregister-completion",
    "poststarthook/apiservice-openapi-controller",
    "poststarthook/apiservice-openapiv3-controller",
]
_CHECKS = {
    "healthz": ["ping", "log", "loopback-serving-certificate", "etcd", *_BOOT_SEQUENCE],
    "livez": ["ping", "log", "loopback-serving-certificate", "etcd", *_BOOT_SEQUENCE],
    "readyz": ["ping", "log", "etcd", "etcd-readiness", "informer-sync", *_BOOT_SEQUENCE, "shutdown"],
}
_ADDRESSES = [f"/{name}/{check}" for name, checks in _CHECKS.items() for check in checks]


def test_the_index_of_the_server_names_the_checks(client: httpx.Client) -> None:
    paths = client.get("/").json()["paths"]
    assert {path for path in paths if path.startswith(("/healthz", "/livez", "/readyz"))} == {
        *_ADDRESSES,
        *(f"/{name}" for name in _CHECKS),
    }


@pytest.mark.parametrize("name", _CHECKS)
def test_the_verbose_form_names_the_checks(client: httpx.Client, name: str) -> None:
    lines = [f"[+]{check} ok\n" for check in _CHECKS[name]]
    assert client.get(f"/{name}?verbose").text == f"{''.join(lines)}{name} check passed\n"
    assert client.get(f"/{name}").text == "ok"


@pytest.mark.parametrize("address", _ADDRESSES)
def test_each_check_has_an_address(client: httpx.Client, address: str) -> None:
    answer = client.get(address)
    assert (answer.status_code, answer.text) == (200, "ok")
    assert "x-content-type-options" not in answer.headers


def test_servers_with_rbac_check_its_bootstrap_roles() -> None:
    authentication, authorizers = AuthenticationOptions("secret"), ConfiguredAuthorizers(("RBAC",))
    settings = Settings(controllers=(), authentication=authentication, authorizers=authorizers)
    with Server(settings).in_thread() as server:
        assert httpx.get(f"{server.url}/livez/poststarthook/rbac/bootstrap-roles").status_code == 403
        assert "[+]poststarthook/rbac/bootstrap-roles ok\n" in httpx.get(f"{server.url}/livez?verbose").text


def test_results_of_checks_are_metrics(stopping: httpx.Client) -> None:
    stopping.get("/readyz")
    text = stopping.get("/metrics/slis").text
    assert 'kubernetes_healthcheck{name="shutdown",type="readyz"} 0.0' in text
    assert 'kubernetes_healthcheck{name="ping",type="readyz"} 1.0' in text
    assert 'kubernetes_healthchecks_total{name="shutdown",status="error",type="readyz"} 1.0' in text


def test_checks_may_be_left_out(client: httpx.Client) -> None:
    text = client.get("/livez?verbose&exclude=etcd&exclude=b&exclude=a").text
    assert "[+]etcd excluded: ok\n" in text
    assert 'warn: some health checks cannot be excluded: no matches for "a","b"\n' in text


@pytest.fixture
def stopping() -> Iterator[httpx.Client]:
    """A client of a server that shuts down and still answers."""
    with Server(Settings(controllers=())).in_thread() as server, httpx.Client(base_url=server.url) as client:
        server.checks.shut_down()
        yield client


def test_a_server_that_stops_is_not_ready(stopping: httpx.Client) -> None:
    assert stopping.get("/livez").text == "ok"
    answer = stopping.get("/readyz")
    assert answer.status_code == 500
    assert answer.text.endswith("[-]shutdown failed: reason withheld\nreadyz check failed\n")
    assert "[+]etcd ok\n[+]etcd-readiness ok\n[+]informer-sync ok\n" in answer.text
    assert stopping.get("/readyz/shutdown").text == "internal server error: process is shutting down\n"
    assert stopping.get("/readyz?exclude=shutdown").text == "ok"


@pytest.mark.anyio
async def test_a_server_whose_controllers_know_nothing_yet_is_not_ready() -> None:
    registry = create_core(Settings()).parts.registry
    informers = Informers(registry)
    check = Checks(registry, informers, lambda: None, lambda: None).of("readyz")["informer-sync"]
    await informers.start()
    informers.of("", "v1", "pods")
    with pytest.raises(Unhealthy, match="1 informers not started yet"):
        await check()
    await registry.clock.activity.at_rest()
    await check()
    await informers.stop()


def test_the_version_is_that_of_the_release(client: httpx.Client) -> None:
    version = client.get("/version").json()
    assert version["gitVersion"] == "v1.36.2"
    assert version["platform"] in ("linux/amd64", "linux/arm64", "darwin/arm64", "darwin/amd64")
    built = datetime.fromisoformat(version["buildDate"])
    assert datetime(2020, 1, 1, tzinfo=UTC) < built
