"""Users of a cluster, with credentials and clients of their own."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import yaml

import memkube

MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"colour": "blue"}}
NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
READER = """
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: developers}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects:
- {apiGroup: rbac.authorization.k8s.io, kind: Group, name: developers}
- {kind: ServiceAccount, name: operator, namespace: shop}
"""
needs_kubectl = pytest.mark.skipif(shutil.which("kubectl") is None, reason="needs kubectl")


@pytest.fixture(scope="module")
def kube() -> Iterator[memkube.Memkube]:
    with memkube.Memkube(authorization="RBAC", controllers="all,-kubelet") as running:
        running.apply(NAMESPACE, READER)
        # Wait until the aggregation controller has filled in the role's rules.
        running.wait_for("clusterroles", "view", lambda role: bool(role["rules"]))
        yield running


@pytest.fixture(scope="module")
def open_kube() -> Iterator[memkube.Memkube]:
    """A cluster without authorization."""
    with memkube.Memkube(controllers="none") as running:
        yield running


def _kubectl(kubeconfig: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["kubectl", "--kubeconfig", kubeconfig, *words], capture_output=True, text=True, check=False)


def test_a_user_has_the_rights_of_its_groups(kube: memkube.Memkube) -> None:
    alice = kube.user("alice", groups=["developers"])
    assert alice.list("configmaps", namespace="shop")
    with pytest.raises(memkube.Refused, match='User "alice" cannot create resource "configmaps"'):
        alice.create(MAP, namespace="shop")


def test_a_user_without_roles_may_do_nothing(kube: memkube.Memkube) -> None:
    with pytest.raises(memkube.Refused, match='User "bob" cannot list resource "configmaps"'):
        kube.user("bob").list("configmaps", namespace="shop")


def test_a_service_account_is_created_with_a_real_token(kube: memkube.Memkube) -> None:
    operator = kube.service_account("shop", "operator")
    assert kube.object("serviceaccounts", "operator", "shop")
    review = {
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenReview",
        "metadata": {},
        "spec": {"token": operator.token},
    }
    (reviewed,) = kube.create(review)
    assert reviewed["status"]["user"]["username"] == operator.name == "system:serviceaccount:shop:operator"
    assert operator.list("configmaps", namespace="shop")


def test_a_service_account_needs_its_namespace(kube: memkube.Memkube) -> None:
    with pytest.raises(memkube.Refused) as refusal:
        kube.service_account("nowhere", "operator")
    assert refusal.value.code == 404


def test_the_token_of_a_service_account_outlives_a_year(kube: memkube.Memkube) -> None:
    with memkube.Memkube(authorization="RBAC", clock="stepped", controllers="none") as stepped:
        operator = stepped.service_account("default", "operator")
        stepped.clock.advance(365 * 24 * 60 * 60)
        assert yaml.safe_load(operator.kubeconfig_content)["users"][0]["user"]["token"] == operator.token
        with pytest.raises(memkube.Refused, match="cannot list"):
            operator.list("pods")


def test_an_apply_is_a_request_of_the_user(kube: memkube.Memkube, open_kube: memkube.Memkube) -> None:
    with pytest.raises(memkube.Refused, match='User "carol" cannot patch resource "configmaps"'):
        kube.user("carol").apply(MAP)
    (applied,) = open_kube.user("carol").apply(MAP)
    assert applied["metadata"]["managedFields"][0]["operation"] == "Apply"
    with pytest.raises(memkube.UsageError, match="without a name"):
        open_kube.user("carol").apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "a"}})


def test_the_same_user_has_the_same_token(kube: memkube.Memkube) -> None:
    assert kube.user("dave", ["a"]).token == kube.user("dave", ["a"]).token != kube.user("dave", ["b"]).token


@pytest.mark.parametrize(("name", "groups"), [("", []), ("system:anonymous", []), ("alice", "developers")])
def test_a_user_that_is_not_possible_is_refused(kube: memkube.Memkube, name: str, groups: list[str]) -> None:
    with pytest.raises(memkube.UsageError):
        kube.user(name, groups)


@needs_kubectl
def test_kubectl_is_the_user_over_plain_http(kube: memkube.Memkube) -> None:
    alice = kube.user("alice", groups=["developers"], extra={"team": ["shop"]})
    assert _kubectl(alice.kubeconfig, "get", "configmaps", "-n", "shop").returncode == 0
    assert '"alice" cannot list resource "secrets"' in _kubectl(alice.kubeconfig, "get", "secrets").stderr
    said = _kubectl(alice.kubeconfig, "auth", "whoami", "-o", "jsonpath={.status.userInfo}").stdout
    assert said == '{"extra":{"team":["shop"]},"groups":["developers","system:authenticated"],"username":"alice"}'


@needs_kubectl
def test_kubectl_of_the_administrator_may_impersonate_over_plain_http(kube: memkube.Memkube) -> None:
    whoami = ("auth", "whoami", "-o", "jsonpath={.status.userInfo.username}")
    assert _kubectl(kube.kubeconfig, *whoami).stdout == "kubernetes-admin"
    assert _kubectl(kube.kubeconfig, "--as", "erin", *whoami).stdout == "erin"
    refused = _kubectl(kube.user("frank").kubeconfig, "--as", "erin", "get", "pods")
    assert 'User "frank" cannot impersonate' in refused.stderr


def test_without_authorization_a_token_names_the_user(open_kube: memkube.Memkube) -> None:
    open_kube.user("alice").list("pods")
    assert [request.user for request in open_kube.requests.of("list", "pods").by("alice")] == ["alice"]


def test_without_authorization_other_credentials_are_ignored(open_kube: memkube.Memkube) -> None:
    for value in ("Bearer unknown", "Basic YTpi"):
        headers = {"Authorization": value, "User-Agent": "other"}
        assert httpx.get(f"{open_kube.url}/api/v1/pods", headers=headers, trust_env=False).status_code == 200
    assert {request.user for request in open_kube.requests.by("other")} == {"system:anonymous"}


@pytest.mark.anyio
async def test_users_of_an_asynchronous_cluster() -> None:
    async with memkube.Memkube(authorization="RBAC", controllers="none") as kube:
        alice = await kube.user("alice")
        with pytest.raises(memkube.Refused, match='User "alice" cannot list'):
            await alice.list("pods")
        operator = await kube.service_account("default", "operator")
        assert operator.kubeconfig.read_text() == operator.kubeconfig_content
        audit = await kube.audit(refused=True)
        assert [user.user for user in audit.users] == ["alice"]
