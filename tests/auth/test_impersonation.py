from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from memkube.auth.authentication.options import AuthenticationOptions
from memkube.auth.authorization.webhook.options import ConfiguredAuthorizers
from memkube.server.server import Server
from memkube.server.settings import Settings

ADMIN, ALICE = {"Authorization": "Bearer admin"}, {"Authorization": "Bearer alice"}
RBAC = "/apis/rbac.authorization.k8s.io/v1"
PODS = "/api/v1/namespaces/default/pods"
REVIEWS = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
CREATE_REVIEWS = ["impersonate-on:{mode}:create", "authentication.k8s.io", "selfsubjectreviews"]


@pytest.fixture
def client(tmp_path: Path) -> Iterator[httpx.Client]:
    """A client of a server with RBAC that knows the tokens of an administrator and of alice."""
    file = tmp_path / "tokens.csv"
    file.write_text("alice,alice,1\n")
    authentication = AuthenticationOptions("admin", file)
    settings = Settings(controllers=(), authorizers=ConfiguredAuthorizers(("RBAC",)), authentication=authentication)
    with (
        Server(settings).in_thread() as server,
        httpx.Client(base_url=server.url, trust_env=False) as client,
    ):
        yield client


def grant(client: httpx.Client, *rights: list[str], subject: str = "alice") -> None:
    """Grant a user rights, each a verb, an API group, a resource and optionally names of objects."""
    rules = [
        {"verbs": [verb], "apiGroups": [group], "resources": [resource], "resourceNames": names}
        for verb, group, resource, *names in rights
    ]
    role = {"metadata": {"name": "impersonators"}, "rules": rules}
    client.post(f"{RBAC}/clusterroles", json=role, headers=ADMIN).raise_for_status()
    reference = {"kind": "ClusterRole", "name": "impersonators", "apiGroup": "rbac.authorization.k8s.io"}
    subjects = [{"kind": "User", "name": subject, "apiGroup": "rbac.authorization.k8s.io"}]
    binding = {"metadata": {"name": "impersonators"}, "roleRef": reference, "subjects": subjects}
    client.post(f"{RBAC}/clusterrolebindings", json=binding, headers=ADMIN).raise_for_status()


def review(client: httpx.Client, *headers: tuple[str, str]) -> Any:
    """Create a SelfSubjectReview as alice with impersonation headers. Return the user, or the error message."""
    answer = client.post(REVIEWS, json={}, headers=[*ALICE.items(), *headers]).json()
    return answer["message"] if answer["kind"] == "Status" else answer["status"]["userInfo"]


@pytest.mark.parametrize(
    ("name", "mode"),
    [("bob", "user-info"), ("system:node:n1", "arbitrary-node"), ("system:serviceaccount:a:b", "serviceaccount")],
)
def test_a_refusal_names_the_verb_of_the_first_mode(client: httpx.Client, name: str, mode: str) -> None:
    answer = client.get(PODS, headers={**ALICE, "Impersonate-User": name})
    assert answer.status_code == 403
    assert answer.json()["message"] == (
        f'pods is forbidden: User "alice" cannot impersonate-on:{mode}:list resource "pods" in API group "" '
        'in the namespace "default"'
    )


@pytest.mark.parametrize(
    ("name", "mode", "resource", "groups"),
    [
        ("bob", "user-info", "users", []),
        ("system:node:n1", "arbitrary-node", "nodes", ["system:nodes"]),
        (
            "system:serviceaccount:a:b",
            "serviceaccount",
            "serviceaccounts",
            ["system:serviceaccounts", "system:serviceaccounts:a"],
        ),
    ],
)
def test_a_mode_needs_the_rights_to_the_user_and_to_the_request(
    client: httpx.Client, name: str, mode: str, resource: str, groups: list[str]
) -> None:
    verb, group, reviews = CREATE_REVIEWS
    right = [f"impersonate:{mode}", "authentication.k8s.io", resource]
    grant(client, right, [verb.format(mode=mode), group, reviews])
    assert review(client, ("Impersonate-User", name)) == {"username": name, "groups": [*groups, "system:authenticated"]}
    assert client.get(PODS, headers={**ALICE, "Impersonate-User": name}).status_code == 403


def test_constrained_impersonation_never_allows_masters(client: httpx.Client) -> None:
    verb, group, reviews = CREATE_REVIEWS
    rights = [["impersonate:user-info", "authentication.k8s.io", resource] for resource in ("users", "groups")]
    grant(client, *rights, [verb.format(mode="user-info"), group, reviews])
    refusal = review(client, ("Impersonate-User", "bob"), ("Impersonate-Group", "system:masters"))
    assert refusal.endswith("impersonating the system:masters group is not allowed")


def test_many_groups_need_one_right_to_all_groups(client: httpx.Client) -> None:
    verb, group, reviews = CREATE_REVIEWS
    users = ["impersonate:user-info", "authentication.k8s.io", "users"]
    all_groups = ["impersonate:user-info", "authentication.k8s.io", "groups", "*"]
    grant(client, users, all_groups, [verb.format(mode="user-info"), group, reviews])
    asked = [("Impersonate-Group", name) for name in "abcd"]
    assert review(client, ("Impersonate-User", "bob"), *asked)["groups"] == [*"abcd", "system:authenticated"]
    assert 'groups.authentication.k8s.io "a" is forbidden' in review(client, ("Impersonate-User", "bob"), *asked[:3])


@pytest.mark.parametrize(
    ("headers", "refusal"),
    [
        ([("Impersonate-Group", "b")], 'groups "b" is forbidden: User "alice" cannot impersonate resource "groups"'),
        ([("Impersonate-Uid", "1")], 'uids.authentication.k8s.io "1" is forbidden: User "alice" cannot impersonate'),
        (
            [("Impersonate-Extra-a", "1")],
            'userextras.authentication.k8s.io "1" is forbidden: User "alice" cannot impersonate resource "userextras/a',
        ),
    ],
)
def test_the_legacy_verb_is_asked_for_each_part(
    client: httpx.Client, headers: list[tuple[str, str]], refusal: str
) -> None:
    grant(client, ["impersonate", "", "users"])
    # The server first tries the mode of impersonation that succeeded last, and reports the refusal of that mode.
    assert review(client, ("Impersonate-User", "bob"))["username"] == "bob"
    assert review(client, ("Impersonate-User", "bob"), *headers).startswith(refusal)


def test_an_account_may_impersonate_the_node_of_its_pod(client: httpx.Client) -> None:
    verb, group, reviews = CREATE_REVIEWS
    mode, agent = "associated-node", "system:serviceaccount:default:default"
    right = [f"impersonate:{mode}", "authentication.k8s.io", "nodes"]
    grant(client, right, [verb.format(mode=mode), group, reviews], subject=agent)
    node = {"metadata": {"name": "n1"}}
    client.post("/api/v1/nodes", json=node, headers=ADMIN).raise_for_status()
    account = {"metadata": {"name": "default"}}
    client.post("/api/v1/namespaces/default/serviceaccounts", json=account, headers=ADMIN)
    spec = {"nodeName": "n1", "serviceAccountName": "default", "containers": [{"name": "a", "image": "a"}]}
    client.post(PODS, json={"metadata": {"name": "agent"}, "spec": spec}, headers=ADMIN).raise_for_status()
    bound = {"spec": {"boundObjectRef": {"apiVersion": "v1", "kind": "Pod", "name": "agent"}}}
    path = "/api/v1/namespaces/default/serviceaccounts/default/token"
    token = client.post(path, json=bound, headers=ADMIN).raise_for_status().json()["status"]["token"]
    headers = {"Authorization": f"Bearer {token}", "Impersonate-User": "system:node:n1"}
    answer = client.post(REVIEWS, json={}, headers=headers).raise_for_status()
    assert answer.json()["status"]["userInfo"]["groups"] == ["system:nodes", "system:authenticated"]
    other = client.post(REVIEWS, json={}, headers={**headers, "Impersonate-User": "system:node:n2"})
    assert "cannot impersonate-on:arbitrary-node:create" in other.json()["message"]
