from typing import Any

from tests.auth.users import RBAC, Users

_READ = [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"]}]


def _review(users: Users, namespace: str, **attributes: str) -> dict[str, Any]:
    spec = {"user": "alice", "resourceAttributes": {"namespace": namespace, **attributes}}
    path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
    status: dict[str, Any] = users.admin("POST", path, {"spec": spec}).json()["status"]
    return status


def test_a_bound_role_allows_requests_at_once(users: Users) -> None:
    path = f"/api/v1/namespaces/{users.namespace('granted')}/configmaps"
    assert users.send("alice", "GET", path).status_code == 403
    users.grant("granted", _READ)
    assert users.send("alice", "GET", path).status_code == 200
    assert users.send("bob", "GET", path).status_code == 403


def test_a_removed_role_forbids_requests_and_is_the_reason(users: Users) -> None:
    users.grant(users.namespace("removed"), _READ)
    users.admin("DELETE", f"{RBAC}/namespaces/removed/roles/reader")
    refused = users.send("alice", "GET", "/api/v1/namespaces/removed/configmaps/a").json()
    assert refused["message"].endswith(': RBAC: role.rbac.authorization.k8s.io "reader" not found')


def test_a_refusal_is_in_the_request_log(users: Users) -> None:
    users.send("alice", "GET", "/api/v1/namespaces/logged/secrets")
    found = users.admin("GET", "/memkube/v1/requests?namespace=logged").json()["items"]
    assert [(request["code"], request["reason"]) for request in found] == [(403, "Forbidden")]


def test_a_review_names_the_binding_that_allows(users: Users) -> None:
    users.grant(users.namespace("reviewed"), _READ)
    status = _review(users, "reviewed", verb="get", resource="configmaps")
    reason = 'RBAC: allowed by RoleBinding "reader/reviewed" of Role "reader" to User "alice"'
    assert status == {"allowed": True, "reason": reason}


def test_resource_names_limit_a_rule_to_objects(users: Users) -> None:
    users.grant(users.namespace("named"), [{**_READ[0], "resourceNames": ["a"]}])
    assert _review(users, "named", verb="get", resource="configmaps", name="a")["allowed"] is True
    assert _review(users, "named", verb="list", resource="configmaps")["allowed"] is False


def test_a_field_selector_of_the_name_makes_a_list_a_request_for_one_object(users: Users) -> None:
    users.grant(users.namespace("selected"), [{**_READ[0], "resourceNames": ["a"]}])
    path = "/api/v1/namespaces/selected/configmaps?fieldSelector=metadata.name"
    assert users.send("alice", "GET", f"{path}%3Da").status_code == 200
    assert users.send("alice", "GET", f"{path}%3Db").status_code == 403


def test_a_put_that_creates_needs_the_right_to_create(users: Users) -> None:
    rule = {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["update"]}
    users.grant(users.namespace("upserted"), [rule])
    path = "/apis/coordination.k8s.io/v1/namespaces/upserted/leases/a"
    refused = users.send("alice", "PUT", path, {"metadata": {"name": "a"}}).json()
    assert 'User "alice" cannot create resource "leases"' in refused["message"]
