from typing import Any, Final

import httpx
import pytest

POLICIES: Final = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"
APPLY: Final = {"content-type": "application/apply-patch+yaml"}
MERGE: Final = {"content-type": "application/merge-patch+json"}


@pytest.fixture
def policy(client: httpx.Client, namespace: str) -> dict[str, Any]:
    """A ValidatingAdmissionPolicy with a label, an annotation and a finalizer."""
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["secrets"]}
    body = {
        "metadata": {"name": f"{namespace}.example.com", "labels": {"a": "b"}, "finalizers": ["example.com/hold"]},
        "spec": {"matchConstraints": {"resourceRules": [rule]}, "validations": [{"expression": "true"}]},
    }
    created: dict[str, Any] = client.post(POLICIES, json=body).raise_for_status().json()
    return created


def test_a_write_to_the_status_changes_no_other_field(client: httpx.Client, policy: dict[str, Any]) -> None:
    url = f"{POLICIES}/{policy['metadata']['name']}/status"
    metadata = {"labels": {"a": "c"}, "annotations": {"x": "y"}, "finalizers": [], "generation": 9}
    change = {"metadata": metadata, "spec": {"failurePolicy": "Ignore"}, "status": {"observedGeneration": 1}}
    patched = client.patch(url, json=change, headers=MERGE).raise_for_status().json()
    kept = ("labels", "annotations", "finalizers", "generation")
    assert {name: patched["metadata"].get(name) for name in kept} == {
        name: policy["metadata"].get(name) for name in kept
    }
    assert (patched["spec"], patched["status"]) == (policy["spec"], {"observedGeneration": 1})


def test_who_applies_the_status_owns_no_metadata(client: httpx.Client, policy: dict[str, Any]) -> None:
    url = f"{POLICIES}/{policy['metadata']['name']}/status?fieldManager=checker"
    applied = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": policy["metadata"]["name"], "labels": {"mine": "1"}},
        "status": {"observedGeneration": 1},
    }
    entries = client.patch(url, json=applied, headers=APPLY).raise_for_status().json()["metadata"]["managedFields"]
    assert [entry["fieldsV1"] for entry in entries if entry["manager"] == "checker"] == [
        {"f:status": {"f:observedGeneration": {}}}
    ]


@pytest.mark.parametrize(
    ("field_ref", "problem"),
    [
        (" ", "Required value"),
        (" *", "Invalid value: \"*\": invalid JSONPath: unrecognized character in action: U+002A '*'"),
        (".a[", 'Invalid value: ".a[": invalid JSONPath: unterminated array'),
    ],
)
def test_the_field_of_a_type_error_is_a_json_path(
    client: httpx.Client, policy: dict[str, Any], field_ref: str, problem: str
) -> None:
    warnings = [{"fieldRef": field_ref, "warning": "undeclared reference"}]
    change = {"status": {"typeChecking": {"expressionWarnings": warnings}}}
    url = f"{POLICIES}/{policy['metadata']['name']}/status"
    refused = client.patch(url, json=change, headers=MERGE).json()
    assert refused["message"].endswith(f"status.typeChecking.expressionWarnings[0].fieldRef: {problem}")
