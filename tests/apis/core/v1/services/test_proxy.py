from typing import Any

import httpx
import pytest

POD_IP = "192.0.2.44"


@pytest.fixture
def services(client: httpx.Client, namespace: str) -> str:
    """The URL path of the Services of a namespace with one Service, whose endpoint is a running pod."""
    core = f"/api/v1/namespaces/{namespace}"
    container = {"name": "app", "image": "nginx"}
    client.post(f"{core}/pods", json={"metadata": {"name": "web-1"}, "spec": {"containers": [container]}})
    status = {"status": {"podIPs": [{"ip": POD_IP}], "podIP": POD_IP}}
    headers = {"content-type": "application/merge-patch+json"}
    client.patch(f"{core}/pods/web-1/status", json=status, headers=headers).raise_for_status()
    spec = {"ports": [{"name": "http", "port": 80}], "clusterIP": "None"}
    client.post(f"{core}/services", json={"metadata": {"name": "web"}, "spec": spec}).raise_for_status()
    target = {"kind": "Pod", "name": "web-1", "namespace": namespace}
    subset = {"addresses": [{"ip": POD_IP, "targetRef": target}], "ports": [{"name": "http", "port": 8080}]}
    client.post(f"{core}/endpoints", json={"metadata": {"name": "web"}, "subsets": [subset]}).raise_for_status()
    return f"{core}/services"


def refusal(answer: httpx.Response) -> tuple[int, Any]:
    return answer.status_code, answer.json()["message"]


@pytest.mark.parametrize("name", ["web:80", "web:http", "https:web:http"])
def test_nothing_listens_at_the_pod_behind_a_service(client: httpx.Client, services: str, name: str) -> None:
    why = f"error trying to reach service: dial tcp {POD_IP}:8080: connect: connection refused"
    assert refusal(client.get(f"{services}/{name}/proxy/")) == (503, why)


def test_a_port_that_no_endpoint_has_leads_nowhere(client: httpx.Client, services: str) -> None:
    assert refusal(client.post(f"{services}/web/proxy/x")) == (503, 'no endpoints available for service "web"')


def test_an_address_that_its_pod_does_not_have_leads_nowhere(client: httpx.Client, services: str) -> None:
    client.delete(services.replace("services", "pods/web-1")).raise_for_status()
    assert refusal(client.get(f"{services}/web:80/proxy")) == (503, 'no endpoints available for service "web:80"')


def test_endpoints_without_subsets_lead_nowhere(client: httpx.Client, services: str) -> None:
    client.put(services.replace("services", "endpoints/web"), json={"metadata": {"name": "web"}}).raise_for_status()
    assert refusal(client.get(f"{services}/web:80/proxy")) == (503, 'no endpoints available for service "web"')


@pytest.mark.parametrize("name", ["ftp:web:80", "a:b:c:d", ":80"])
def test_a_name_that_means_no_service_is_refused(client: httpx.Client, services: str, name: str) -> None:
    assert refusal(client.get(f"{services}/{name}/proxy")) == (400, f'invalid service request "{name}"')


def test_nothing_is_passed_on_in_a_dry_run(client: httpx.Client, services: str) -> None:
    assert refusal(client.get(f"{services}/web/proxy?dryRun=All")) == (400, "dryRun is not supported")
