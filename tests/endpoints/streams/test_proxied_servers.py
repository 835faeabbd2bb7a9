import httpx
import pytest

IP = "10.244.1.9"
FAILED = "error trying to reach service: "


@pytest.fixture
def proxied(client: httpx.Client, pod: str) -> str:
    """The URL path of a pod that has an IP address."""
    merge = {"content-type": "application/merge-patch+json"}
    status = {"podIP": IP, "podIPs": [{"ip": IP}]}
    client.patch(f"{pod}/status", json={"status": status}, headers=merge).raise_for_status()
    return pod


@pytest.mark.parametrize(
    ("path", "seen"),
    [("/", "/"), ("/a/b", "/a/b"), ("/a/", "/a/"), ("/a%20b?x=1&y", "/a b?x=1&y"), ("/?x", "/?x")],
)
def test_a_request_is_passed_on_with_its_path_and_query(
    client: httpx.Client, proxied: str, path: str, seen: str
) -> None:
    answer = client.get(f"{proxied}/proxy{path}")
    assert (answer.status_code, answer.text) == (203, seen)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_every_method_is_passed_on(client: httpx.Client, proxied: str, method: str) -> None:
    assert client.request(method, f"{proxied}/proxy").status_code == 203


def test_a_head_request_gets_no_body(client: httpx.Client, proxied: str) -> None:
    answer = client.head(f"{proxied}/proxy/abc")
    assert (answer.status_code, answer.text, answer.headers["content-length"]) == (203, "", "4")


def test_a_missing_slash_is_added_by_a_redirect(client: httpx.Client, proxied: str) -> None:
    answer = client.get(f"{proxied}/proxy?x=1")
    assert (answer.status_code, answer.headers["location"]) == (301, f"{proxied}/proxy/?x=1")


def test_redirects_lead_through_the_proxy(client: httpx.Client, proxied: str) -> None:
    assert client.get(f"{proxied}/proxy/a").headers["location"] == f"{proxied}/proxy/moved"


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("web:81", f"{FAILED}dial tcp {IP}:81: connect: connection refused"),
        ("web:9", f"{FAILED}dial tcp {IP}:9: i/o timeout"),
        ("web:7", f"{FAILED}EOF"),
        ("web:nope", f"{FAILED}dial tcp: lookup tcp/nope: unknown port"),
        ("https:web:80", f"{FAILED}tls: first record does not look like a TLS handshake"),
        ("https:web:", f"{FAILED}dial tcp {IP}:443: connect: connection refused"),
    ],
)
def test_a_server_that_cannot_be_reached_is_a_503(
    client: httpx.Client, proxied: str, target: str, message: str
) -> None:
    answer = client.get(f"{proxied.removesuffix('web')}{target}/proxy/")
    assert (answer.status_code, answer.json()["message"]) == (503, message)
    assert answer.json()["reason"] == "ServiceUnavailable"


@pytest.mark.parametrize("name", ["web", "web:80", "http:web:"])
def test_the_port_is_the_one_named_or_the_default(client: httpx.Client, proxied: str, name: str) -> None:
    assert client.get(f"{proxied.removesuffix('web')}{name}/proxy/").status_code == 203


def test_a_service_leads_to_one_of_its_pods(client: httpx.Client, proxied: str) -> None:
    core = proxied.removesuffix("/pods/web")
    spec = {"ports": [{"name": "http", "port": 8080, "targetPort": 80}], "clusterIP": "None"}
    client.post(f"{core}/services", json={"metadata": {"name": "s"}, "spec": spec}).raise_for_status()
    target = {"kind": "Pod", "name": "web", "namespace": core.rpartition("/")[2]}
    subset = {"addresses": [{"ip": IP, "targetRef": target}], "ports": [{"name": "http", "port": 80}]}
    client.post(f"{core}/endpoints", json={"metadata": {"name": "s"}, "subsets": [subset]}).raise_for_status()
    for name in ("s:http", "s:8080", "http:s:http"):
        assert client.get(f"{core}/services/{name}/proxy/x").text == "/x"
