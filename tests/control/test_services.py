"""Servers outside of the cluster that replace Services."""

import re
from collections.abc import Iterator

import httpx
import pytest
from cryptography import x509

from tests.hooks.listening import Certificates, Hook, listening, review

_CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"


@pytest.fixture
def hooked(client: httpx.Client, namespace: str) -> Iterator[Hook]:
    """A webhook for the namespace's ConfigMaps, whose client configuration names port 443 of the Service ``hooks``."""
    certificates = Certificates.make()
    reference = {"namespace": namespace, "name": "hooks"}
    rule = {"operations": ["*"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}
    webhook = {
        "name": "a.hooks.example.com",
        "clientConfig": {"service": reference, "caBundle": certificates.encoded},
        "rules": [rule],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
    }
    client.post(_CONFIGURATIONS, json={"metadata": {"name": namespace}, "webhooks": [webhook]}).raise_for_status()
    with listening(certificates.issue(x509.DNSName(f"hooks.{namespace}.svc")), review) as hook:
        yield hook
    client.delete(f"{_CONFIGURATIONS}/{namespace}")


def said(client: httpx.Client, namespace: str) -> str:
    """Create a ConfigMap in a dry run, and return the reason of the error."""
    answer = client.post(f"/api/v1/namespaces/{namespace}/configmaps?dryRun=All", json={"metadata": {"name": "a"}})
    return str(answer.json().get("message", "")).rpartition('timeout=10s": ')[2]


def test_the_server_calls_who_is_registered_for_a_service(client: httpx.Client, namespace: str, hooked: Hook) -> None:
    path = f"/memkube/v1/services/{namespace}/hooks/443"
    assert client.put(path, json={"host": hooked.host, "port": hooked.port}).status_code == 200
    assert said(client, namespace) == ""
    assert hooked.received.get(timeout=60).headers["host"] == f"hooks.{namespace}.svc:443"
    assert client.get(path).json() == {"host": hooked.host, "port": hooked.port}
    assert client.delete(path).status_code == 204
    assert client.get(path).status_code == client.delete(path).status_code == 404


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        (None, 'service "hooks" not found'),
        ({"ports": [{"port": 80}]}, 'no service port 443 found for service "hooks"'),
        ({"clusterIP": "None", "ports": [{"port": 443}]}, 'cannot route to service with ClusterIP "None"'),
        ({"ports": [{"port": 443}]}, "dial tcp IP:443: connect: connection refused"),
        ({"type": "NodePort", "ports": [{"port": 443}]}, "dial tcp IP:443: connect: connection refused"),
    ],
)
def test_a_service_that_nobody_is_registered_for_has_nobody_listening(
    client: httpx.Client, namespace: str, hooked: Hook, spec: dict[str, object] | None, why: str
) -> None:
    if spec is not None:
        services = f"/api/v1/namespaces/{namespace}/services"
        client.post(services, json={"metadata": {"name": "hooks"}, "spec": spec}).raise_for_status()
    assert re.sub(r"10\.[0-9.]+", "IP", said(client, namespace)) == why


def test_a_service_that_names_a_host_outside_is_called_there(
    client: httpx.Client, namespace: str, hooked: Hook
) -> None:
    spec = {"type": "ExternalName", "externalName": "no-such-host.invalid"}
    services = f"/api/v1/namespaces/{namespace}/services"
    client.post(services, json={"metadata": {"name": "hooks"}, "spec": spec}).raise_for_status()
    assert said(client, namespace).startswith("dial tcp: lookup no-such-host.invalid")


@pytest.mark.parametrize("body", [{}, {"port": 0}, {"port": 70000}, {"port": 1, "odd": 1}])
def test_a_listener_that_makes_no_sense_is_refused(client: httpx.Client, body: dict[str, int]) -> None:
    assert client.put("/memkube/v1/services/a/b/443", json=body).status_code == 422
