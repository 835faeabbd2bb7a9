"""The CEL variable ``authorizer`` in admission policies."""

from tests.auth.users import Users

_POLICIES = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"
_BINDINGS = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings"


def test_a_policy_asks_what_the_user_may_do(users: Users) -> None:
    users.grant(users.namespace("asked"), [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["create"]}])
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}
    expression = "authorizer.group('').resource('secrets').namespace('asked').check('list').allowed()"
    match = {
        "resourceRules": [rule],
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "asked"}},
    }
    spec = {"matchConstraints": match, "validations": [{"expression": expression}]}
    users.admin("POST", _POLICIES, {"metadata": {"name": "asked"}, "spec": spec})
    binding = {"policyName": "asked", "validationActions": ["Deny"]}
    users.admin("POST", _BINDINGS, {"metadata": {"name": "asked"}, "spec": binding})
    path, body = "/api/v1/namespaces/asked/configmaps", {"metadata": {"generateName": "a-"}}
    assert users.send("alice", "POST", path, body).status_code == 422
    assert users.admin("POST", path, body).status_code == 201
