"""Starting, polling and stopping the programs as each framework does."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.auth.certificates import Authority
from tests.envtest.control_plane import FRAMEWORKS, ControlPlane, control_plane, has_flag, polled

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def running(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """The programs, started as by controller-runtime."""
    with control_plane(programs, tmp_path_factory.mktemp("running"), FRAMEWORKS["controller-runtime"]) as plane:
        yield plane


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_framework_starts_and_stops_the_programs(name: str, programs: Path, tmp_path: Path) -> None:
    with control_plane(programs, tmp_path, FRAMEWORKS[name]) as plane, plane.admin() as admin:
        assert admin.get("/api/v1/namespaces/default").json()["status"]["phase"] == "Active"
    assert plane.apiserver.returncode in (0, -signal.SIGKILL)


def test_the_help_lists_flags_as_controller_runtime_looks_for_them(programs: Path) -> None:
    assert has_flag(programs / "etcd", "unsafe-no-fsync")
    assert has_flag(programs / "kube-apiserver", "secure-port")
    assert not has_flag(programs / "kube-apiserver", "insecure-port")


def test_a_user_who_is_added_later_has_the_rights_of_roles(running: ControlPlane) -> None:
    api = "/apis/rbac.authorization.k8s.io/v1"
    rules = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}]
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "reader"}
    subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "developers"}
    binding = {"metadata": {"name": "developers"}, "roleRef": role, "subjects": [subject]}
    with running.client(running.files.clients.client("bob", ["developers"])) as bob, running.admin() as admin:
        assert bob.get("/api/v1/pods").status_code == 403
        assert admin.post(f"{api}/clusterroles", json={"metadata": {"name": "reader"}, "rules": rules}).is_success
        assert admin.post(f"{api}/clusterrolebindings", json=binding).is_success
        assert bob.get("/api/v1/pods").status_code == 200
        assert bob.get("/api/v1/secrets").status_code == 403


def test_a_certificate_of_another_authority_is_refused(running: ControlPlane) -> None:
    with running.client(Authority.created().client("eve", ["system:masters"])) as eve:
        assert eve.get("/api/v1/namespaces").status_code == 401


def test_a_client_without_credentials_sees_the_health_alone(running: ControlPlane) -> None:
    with running.client() as anonymous:
        assert anonymous.get("/healthz").text == "ok"
        assert (
            anonymous.get("/api/v1/namespaces")
            .json()["message"]
            .startswith('namespaces is forbidden: User "system:anonymous" cannot list resource "namespaces"')
        )


def test_tokens_name_the_issuer_and_authenticate(running: ControlPlane) -> None:
    path = "/api/v1/namespaces/default/serviceaccounts"
    with running.admin() as admin:
        assert admin.post(path, json={"metadata": {"name": "builder"}}).status_code == 201
        token = admin.post(f"{path}/builder/token", json={"spec": {}}).json()["status"]["token"]
        assert admin.get("/.well-known/openid-configuration").json()["issuer"] == f"{running.url}/"
    with running.client(Authorization=f"Bearer {token}") as builder:
        told = builder.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", json={}).json()
    assert told["status"]["userInfo"]["username"] == "system:serviceaccount:default:builder"


def test_a_definition_is_in_discovery_when_it_is_polled(running: ControlPlane) -> None:
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
    }
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "ships.sea.example.com"},
        "spec": {
            "group": "sea.example.com",
            "names": {"plural": "ships", "kind": "Ship"},
            "scope": "Namespaced",
            "versions": [version],
        },
    }
    with running.admin() as admin:
        assert admin.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", json=definition).status_code == 201
        found = polled(lambda: admin.get("/apis/sea.example.com/v1"))
    assert [resource["kind"] for resource in found.json()["resources"]] == ["Ship"]


def test_no_controller_runs(running: ControlPlane) -> None:
    with running.admin() as admin:
        assert admin.post("/api/v1/namespaces", json={"metadata": {"name": "left"}}).status_code == 201
        assert admin.delete("/api/v1/namespaces/left").status_code == 200
        # As in envtest, no controller finishes the deletion or creates a service account.
        assert admin.get("/api/v1/namespaces/left").json()["status"]["phase"] == "Terminating"
        assert admin.get("/api/v1/namespaces/left/serviceaccounts").json()["items"] == []
        assert admin.get("/api/v1/nodes").json()["items"] == []


def test_what_is_not_done_for_a_flag_is_said(programs: Path, tmp_path: Path) -> None:
    with control_plane(programs, tmp_path, FRAMEWORKS["Kindcontainer"]) as plane:
        note = "kube-apiserver: --proxy-client-cert-file: calls to other servers are made without this certificate"
        assert note in plane.log.read_text().splitlines()


def test_requests_are_in_the_audit_log(programs: Path, tmp_path: Path) -> None:
    with control_plane(programs, tmp_path, FRAMEWORKS["a list of arguments"]) as plane, plane.admin() as admin:
        assert admin.get("/api/v1/namespaces/kube-public").is_success
    events = [json.loads(line) for line in Path(plane.files.path("audit.log")).read_text().splitlines()]
    assert "admin" in {event["user"]["username"] for event in events if event["requestURI"].endswith("/kube-public")}
