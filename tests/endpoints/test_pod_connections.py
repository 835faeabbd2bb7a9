import httpx
import pytest

CONTAINERS = [{"name": "app", "image": "nginx"}]


@pytest.fixture
def pod(client: httpx.Client, namespace: str) -> str:
    """The URL path of a pod that is not bound to a node."""
    path = f"/api/v1/namespaces/{namespace}/pods"
    client.post(path, json={"metadata": {"name": "web"}, "spec": {"containers": CONTAINERS}}).raise_for_status()
    return f"{path}/web"


@pytest.mark.parametrize(
    ("path", "code", "message"),
    [
        ("exec?dryRun=All", 400, "dryRun is not supported"),
        ("portforward?dryRun=", 400, "dryRun is not supported"),
        ("portforward?ports=80,443&ports=8080", 400, "pod web does not have a host assigned"),
        (
            "portforward?ports=80,http",
            400,
            'cannot convert to []int32: strconv.ParseUint: parsing "http": invalid syntax',
        ),
        (
            "portforward?ports=65536",
            400,
            'cannot convert to []int32: strconv.ParseUint: parsing "65536": value out of range',
        ),
        ("portforward?ports=", 400, 'cannot convert to []int32: strconv.ParseUint: parsing "": invalid syntax'),
        (
            "log?tailLines=99999999999999999999",
            400,
            'strconv.ParseInt: parsing "99999999999999999999": value out of range',
        ),
        (
            "log?sinceTime=&sinceSeconds=1",
            422,
            (
                'PodLogOptions "web" is invalid: []: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be '
                "specified"
            ),
        ),
    ],
)
def test_parameters_of_connections_are_checked(
    client: httpx.Client, pod: str, path: str, code: int, message: str
) -> None:
    answer = client.get(f"{pod}/{path}")
    assert (answer.status_code, answer.json()["message"]) == (code, message)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("web:80", "address not allowed"),
        ("http:web:80", "address not allowed"),
        ("https:none:", 'pods "none" not found'),
        ("ftp:web:80", 'invalid pod request "ftp:web:80"'),
        ("http:web:80:x", 'invalid pod request "http:web:80:x"'),
        (":80", 'invalid pod request ":80"'),
        ("a%2525b", "Name parameter invalid: \"a%25b\": may not contain '%'"),
    ],
)
def test_a_proxied_pod_is_named_with_scheme_and_port(client: httpx.Client, pod: str, name: str, message: str) -> None:
    address = pod.removesuffix("web") + name
    assert client.get(f"{address}/proxy/").json()["message"] == message


def test_a_binding_at_its_old_address_has_no_uid(client: httpx.Client, pod: str) -> None:
    binding = {"metadata": {"name": "web", "uid": "another"}, "target": {"kind": "Node", "name": "node-1"}}
    at_pod = client.post(f"{pod}/binding", json=binding)
    assert at_pod.status_code == 409
    assert client.post(pod.replace("pods/web", "bindings"), json=binding).status_code == 201
