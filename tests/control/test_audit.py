import httpx
import pytest

from memkube.server.server import Server
from memkube.server.settings import Settings
from memkube.telemetry.request_log import RequestLogOptions

AUDIT = "/memkube/v1/audit"
MAPS = "/api/v1/namespaces/default/configmaps"


@pytest.fixture
def client(client: httpx.Client) -> httpx.Client:
    client.delete("/memkube/v1/requests").raise_for_status()
    return client


def test_a_client_gets_the_smallest_role(client: httpx.Client) -> None:
    client.get(f"{MAPS}/a", headers={"Impersonate-User": "alice", "User-Agent": "tool/1"})
    (user,) = client.get(AUDIT, params={"who": "alice", "names": True}).json()["users"]
    role, binding = user["roles"]
    assert (user["user"], user["requests"], user["refused"]) == ("alice", 1, 0)
    assert role["metadata"] == {"name": "alice", "namespace": "default"}
    assert role["rules"] == [{"apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["a"], "verbs": ["get"]}]
    assert binding["subjects"] == [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "alice"}]


def test_roles_of_an_anonymous_client_have_its_name_and_a_binding_for_a_subject(client: httpx.Client) -> None:
    client.get(MAPS, headers={"User-Agent": "my-operator/1"})
    client.get("/api/v1/nodes", headers={"User-Agent": "other/1"})
    asked = {"agent": "my-operator"}
    (user,) = client.get(AUDIT, params=asked).json()["users"]
    assert [(role["kind"], role["metadata"]["name"]) for role in user["roles"]] == [("Role", "my-operator")]
    subject = "system:serviceaccount:shop:operator"
    (user,) = client.get(AUDIT, params=asked | {"subject": subject}).json()["users"]
    assert user["roles"][1]["subjects"] == [{"kind": "ServiceAccount", "name": "operator", "namespace": "shop"}]


def test_requests_of_one_namespace(client: httpx.Client) -> None:
    for path in ("/api/v1/pods", MAPS, "/api/v1/namespaces/kube-system/pods"):
        client.get(path, headers={"Impersonate-User": "alice"})
    (user,) = client.get(AUDIT, params={"who": "alice", "namespace": "default"}).json()["users"]
    assert [role["metadata"].get("namespace") for role in user["roles"]] == ["default", "default"]


def test_nothing_is_refused_by_a_server_that_allows_everything(client: httpx.Client) -> None:
    client.get(MAPS)
    assert client.get(AUDIT, params={"refused": True}).json() == {"users": [], "complete": True}


def test_an_unknown_parameter_is_refused(client: httpx.Client) -> None:
    assert client.get(AUDIT, params={"user": "alice"}).status_code == 422


def test_a_full_log_makes_an_audit_incomplete() -> None:
    settings = Settings(controllers=(), requests=RequestLogOptions(requests=16))
    with Server(settings).in_thread() as server, httpx.Client(base_url=server.url, trust_env=False) as client:
        for _ in range(16):
            client.get(MAPS)
        assert client.get(AUDIT).json()["complete"] is True
        client.get(MAPS)
        assert client.get(AUDIT).json()["complete"] is False
        assert client.get(AUDIT, params={"after": 16}).json()["complete"] is True
