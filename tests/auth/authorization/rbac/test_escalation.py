"""Users cannot grant rights that they do not have."""

import pytest

from tests.auth.users import RBAC, SELECT_ALICE, Users

_CHANGE_ROLES = {
    "apiGroups": ["rbac.authorization.k8s.io"],
    "resources": ["roles", "rolebindings"],
    "verbs": ["create", "update", "patch"],
}
_ALL = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}


def test_a_role_with_more_rights_is_refused(users: Users) -> None:
    users.grant(users.namespace("more"), [_CHANGE_ROLES])
    rules = [{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get", "list"]}]
    body = {"metadata": {"name": "made"}, "rules": rules}
    refused = users.send("alice", "POST", f"{RBAC}/namespaces/more/roles", body)
    assert refused.status_code == 403
    assert refused.json()["message"] == (
        'roles.rbac.authorization.k8s.io "made" is forbidden: user "alice" (groups=["system:authenticated"]) is '
        "attempting to grant RBAC permissions not currently held:\n"
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}'
    )


def test_a_role_with_held_rights_is_accepted(users: Users) -> None:
    users.grant(users.namespace("held"), [_CHANGE_ROLES])
    body = {"metadata": {"name": "made"}, "rules": [{**_CHANGE_ROLES, "verbs": ["create"]}]}
    assert users.send("alice", "POST", f"{RBAC}/namespaces/held/roles", body).status_code == 201


def test_the_verb_escalate_allows_any_role(users: Users) -> None:
    users.grant(users.namespace("escalated"), [{**_CHANGE_ROLES, "verbs": ["create", "escalate"]}])
    body = {"metadata": {"name": "made"}, "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]}
    assert users.send("alice", "POST", f"{RBAC}/namespaces/escalated/roles", body).status_code == 201


def test_a_binding_to_a_missing_role_is_not_found(users: Users) -> None:
    users.grant(users.namespace("missing"), [_CHANGE_ROLES])
    reference = {"kind": "Role", "name": "none", "apiGroup": "rbac.authorization.k8s.io"}
    body = {"metadata": {"name": "made"}, "roleRef": reference, "subjects": [SELECT_ALICE]}
    refused = users.send("alice", "POST", f"{RBAC}/namespaces/missing/rolebindings", body)
    assert refused.json()["message"] == 'rolebindings.rbac.authorization.k8s.io "none" not found'


def test_a_binding_to_an_unknown_kind_of_role_is_an_internal_error(users: Users) -> None:
    users.grant(users.namespace("kindless"), [_CHANGE_ROLES])
    reference = {"kind": "Other", "name": "none", "apiGroup": "rbac.authorization.k8s.io"}
    body = {"metadata": {"name": "made"}, "roleRef": reference, "subjects": [SELECT_ALICE]}
    failed = users.send("alice", "POST", f"{RBAC}/namespaces/kindless/rolebindings", body)
    assert (failed.status_code, failed.json()["message"]) == (500, 'unsupported role reference kind: "Other"')


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [
        ("Role", "x", "Namespace parameter required."),
        ("ClusterRole", "", "Name parameter required."),
        ("ClusterRole", "x/y", "Name parameter invalid: \"x/y\": may not contain '/'"),
    ],
)
def test_a_binding_to_an_impossible_role_is_a_bad_request(users: Users, kind: str, name: str, message: str) -> None:
    rules = [{**_CHANGE_ROLES, "resources": ["clusterrolebindings"], "verbs": ["create"]}]
    metadata = {"name": f"binder-{kind}-{len(name)}".lower()}
    users.admin("POST", f"{RBAC}/clusterroles", {"metadata": metadata, "rules": rules})
    reference = {"kind": "ClusterRole", "apiGroup": "rbac.authorization.k8s.io", **metadata}
    binding = {"metadata": metadata, "roleRef": reference, "subjects": [SELECT_ALICE]}
    users.admin("POST", f"{RBAC}/clusterrolebindings", binding)
    body = {"metadata": {"name": "made"}, "roleRef": {**reference, "kind": kind, "name": name}}
    refused = users.send("alice", "POST", f"{RBAC}/clusterrolebindings", body)
    assert (refused.status_code, refused.json()["message"]) == (400, message)


def test_the_right_to_bind_counts_for_the_group_of_the_reference(users: Users) -> None:
    users.grant(users.namespace("grouped"), [{**_CHANGE_ROLES, "verbs": ["create", "bind"]}])
    users.admin("POST", f"{RBAC}/namespaces/grouped/roles", {"metadata": {"name": "all"}, "rules": [_ALL]})
    reference = {"kind": "Role", "name": "all", "apiGroup": "rbac.authorization.k8s.io"}
    body = {"metadata": {"name": "made"}, "roleRef": reference}
    assert users.send("alice", "POST", f"{RBAC}/namespaces/grouped/rolebindings", body).status_code == 201
    reference["apiGroup"] = "other"
    assert users.send("alice", "POST", f"{RBAC}/namespaces/grouped/rolebindings", body).status_code == 403


def test_owners_of_a_role_with_more_rights_can_be_changed(users: Users) -> None:
    users.grant(users.namespace("owned"), [_CHANGE_ROLES])
    rules = [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]
    role = users.admin("POST", f"{RBAC}/namespaces/owned/roles", {"metadata": {"name": "made"}, "rules": rules}).json()
    role["metadata"]["finalizers"] = ["example.com/kept"]
    path = f"{RBAC}/namespaces/owned/roles/made"
    assert users.send("alice", "PUT", path, role).status_code == 200
    role["rules"].append(rules[0])
    del role["metadata"]["resourceVersion"]
    assert users.send("alice", "PUT", path, role).status_code == 403


def test_a_role_with_more_rights_is_refused_before_its_revision_is_compared(users: Users) -> None:
    users.grant(users.namespace("outdated"), [_CHANGE_ROLES])
    body = {"metadata": {"name": "reader", "resourceVersion": "1"}, "rules": [_ALL]}
    path = f"{RBAC}/namespaces/outdated/roles/reader"
    assert users.send("alice", "PUT", path, body).status_code == 403
    body["rules"] = [_CHANGE_ROLES]
    assert users.send("alice", "PUT", path, body).status_code == 409
