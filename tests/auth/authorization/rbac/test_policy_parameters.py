"""Users cannot write admission policies and bindings whose parameter objects they may not read."""

from typing import Any

import pytest

from tests.auth.users import RBAC, SELECT_ALICE, Users

_API = "/apis/admissionregistration.k8s.io/v1"
_ALICE = "user &{alice  [system:authenticated] map[]}"
_RULE = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["secrets"]}


@pytest.fixture(scope="module")
def author(users: Users) -> Users:
    """Users. The user alice may write all policies and bindings, and read the ConfigMap `allowed`."""
    name = {"metadata": {"name": "author"}}
    rules = [
        {"apiGroups": ["admissionregistration.k8s.io"], "resources": ["*"], "verbs": ["*"]},
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"], "resourceNames": ["allowed"]},
    ]
    users.admin("POST", f"{RBAC}/clusterroles", {**name, "rules": rules})
    reference = {"kind": "ClusterRole", "name": "author", "apiGroup": "rbac.authorization.k8s.io"}
    binding = {**name, "roleRef": reference, "subjects": [SELECT_ALICE]}
    users.admin("POST", f"{RBAC}/clusterrolebindings", binding)
    return users


def policy(name: str, kind: str = "ConfigMap") -> dict[str, Any]:
    spec = {
        "paramKind": {"apiVersion": "v1", "kind": kind},
        "matchConstraints": {"resourceRules": [_RULE]},
        "validations": [{"expression": "true"}],
    }
    return {"metadata": {"name": name}, "spec": spec}


def binding(policy_name: str, **reference: Any) -> dict[str, Any]:
    params = {"parameterNotFoundAction": "Deny", **reference}
    spec = {"policyName": policy_name, "paramRef": params, "validationActions": ["Deny"]}
    return {"metadata": {"name": policy_name}, "spec": spec}


def test_parameters_that_a_user_may_not_read_are_forbidden(author: Users) -> None:
    refused = author.send("alice", "POST", f"{_API}/validatingadmissionpolicies", policy("kinds"))
    why = 'must have "get" permission on all objects of the referenced paramKind (kind=ConfigMap, apiVersion=v1)'
    assert refused.status_code == 422
    assert refused.json()["message"].endswith(f"is invalid: spec.paramKind: Forbidden: {_ALICE} {why}")
    author.admin("POST", f"{_API}/validatingadmissionpolicies", policy("kinds"))
    bindings = f"{_API}/validatingadmissionpolicybindings"
    refused = author.send("alice", "POST", bindings, binding("kinds", selector={}))
    why = 'does not have "list" permission on the object referenced by paramRef'
    assert refused.json()["message"].endswith(f"is invalid: spec.paramRef: Forbidden: {_ALICE} {why}")
    refused = author.send("alice", "POST", bindings, binding("absent", name="allowed"))
    why = 'does not have "get" permission for all groups, versions and resources'
    unknown = f"unable to get policy absent to determine minimum required permissions and {_ALICE} {why}"
    assert refused.json()["message"].endswith(f"is invalid: spec.paramRef: Forbidden: {unknown}")
    assert author.send("alice", "POST", bindings, binding("kinds", name="allowed")).status_code == 201


def test_a_write_of_the_status_needs_no_rights_on_parameters(author: Users) -> None:
    stored = author.admin("POST", f"{_API}/validatingadmissionpolicies", policy("reported")).json()
    changed = policy("reported", "Secret")
    changed["metadata"]["resourceVersion"] = stored["metadata"]["resourceVersion"]
    written = author.send("alice", "PUT", f"{_API}/validatingadmissionpolicies/reported/status", changed)
    assert (written.status_code, written.json()["spec"]) == (200, stored["spec"])
