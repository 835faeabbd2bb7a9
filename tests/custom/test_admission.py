"""Admission of custom objects: policies and webhooks."""

from typing import Any, Final

import httpx
import pytest

from tests.custom.gadgets import gadget
from tests.custom.test_requests import DEFINITIONS, await_served, definition
from tests.hooks.listening import LOOPBACK, Certificates, listening, review

GADGETS: Final = "/apis/example.com/v1/namespaces/default/gadgets"
ADMISSION: Final = "/apis/admissionregistration.k8s.io/v1"
RULE: Final[dict[str, Any]] = {
    "operations": ["CREATE", "UPDATE"],
    "apiGroups": ["example.com"],
    "apiVersions": ["v1"],
    "resources": ["gadgets"],
}


def test_a_float_without_a_fraction_is_a_double_for_policies_until_it_is_stored(client: httpx.Client) -> None:
    name = {"metadata": {"name": "a"}}
    demand = {"expression": "type(object.spec.free.a) == double"}
    policy = {"matchConstraints": {"resourceRules": [RULE]}, "validations": [demand]}
    client.post(f"{ADMISSION}/validatingadmissionpolicies", json={**name, "spec": policy}).raise_for_status()
    binding = {"policyName": "a", "validationActions": ["Deny"]}
    client.post(f"{ADMISSION}/validatingadmissionpolicybindings", json={**name, "spec": binding}).raise_for_status()
    created = client.post(GADGETS, json=gadget("a", free={"a": 1.0})).raise_for_status()
    assert '"free":{"a":1}' in created.text
    assert client.put(f"{GADGETS}/a", json=created.json()).status_code == 422


def mutate(client: httpx.Client, operation: str) -> None:
    """Put a MutatingAdmissionPolicy into force that applies one JSON patch operation to gadgets."""
    name = {"metadata": {"name": "a"}}
    patch = {"patchType": "JSONPatch", "jsonPatch": {"expression": f"[JSONPatch{{{operation}}}]"}}
    constraints = {"resourceRules": [RULE]}
    policy = {"matchConstraints": constraints, "reinvocationPolicy": "Never", "mutations": [patch]}
    client.post(f"{ADMISSION}/mutatingadmissionpolicies", json={**name, "spec": policy}).raise_for_status()
    binding = {**name, "spec": {"policyName": "a"}}
    client.post(f"{ADMISSION}/mutatingadmissionpolicybindings", json=binding).raise_for_status()


@pytest.mark.parametrize(
    ("operation", "status", "why"),
    [
        ("op: 'replace', path: '/kind', value: 'Odd'", 422, 'kind: Invalid value: "Odd": must be Gadget'),
        ("op: 'remove', path: '/kind'", 500, "Internal error occurred: Object 'Kind' is missing in '{"),
        (
            "op: 'replace', path: '/apiVersion', value: 'v1'",
            500,
            (
                "Internal error occurred: failed to convert object: /v1, Kind=Gadget is unstructured "
                'and is not suitable for converting to "example.com/v1"'
            ),
        ),
        (
            "op: 'replace', path: '/apiVersion', value: 'example.com/v9'",
            500,
            (
                "Internal error occurred: failed to convert object: "
                "request to convert CR from an invalid group/version: example.com/v9"
            ),
        ),
        ("op: 'replace', path: '/apiVersion', value: 'example.com/v1beta1'", 201, ""),
    ],
)
def test_a_patch_by_a_policy_must_leave_a_custom_object_of_the_kind(
    client: httpx.Client, operation: str, status: int, why: str
) -> None:
    mutate(client, operation)
    answer = client.post(GADGETS, json=gadget("a"))
    assert (answer.status_code, why in answer.json().get("message", "")) == (status, True)


@pytest.mark.parametrize(
    ("field", "value"),
    [("labels", "{'a': 5}"), ("finalizers", "'x'"), ("managedFields", "'x'"), ("creationTimestamp", "'x'")],
)
def test_a_field_of_a_wrong_type_in_the_metadata_of_a_patched_custom_object_is_dropped(
    client: httpx.Client, field: str, value: str
) -> None:
    mutate(client, f"op: 'add', path: '/metadata/{field}', value: {value}")
    metadata = client.post(GADGETS, json=gadget("a")).raise_for_status().json()["metadata"]
    assert field not in metadata or "Z" in metadata[field]


def test_a_patch_may_not_replace_the_metadata_of_a_custom_object_by_a_string(client: httpx.Client) -> None:
    mutate(client, "op: 'replace', path: '/metadata', value: 'x'")
    answer = client.post(GADGETS, json=gadget("a"))
    assert answer.json()["message"] == "Internal error occurred: system metadata was not initialized"


def test_a_patch_of_a_custom_scale_may_have_another_uid(client: httpx.Client) -> None:
    client.post(f"{DEFINITIONS}", json=definition()).raise_for_status()
    widgets = "/apis/more.example.com/v1/widgets"
    await_served(client, widgets)
    made = {"apiVersion": "more.example.com/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"replicas": 1}}
    client.post(widgets, json=made).raise_for_status()
    change = {"metadata": {"uid": "b"}, "spec": {"replicas": 2}}
    patched = client.patch(f"{widgets}/a/scale", json=change, headers={"content-type": "application/merge-patch+json"})
    assert patched.raise_for_status().json()["spec"]["replicas"] == 2


def test_a_webhook_receives_a_float_without_a_fraction_as_an_integer(client: httpx.Client) -> None:
    certificates = Certificates.make()
    with listening(certificates.issue(LOOPBACK), review) as hook:
        webhook = {
            "name": "a.hooks.example.com",
            "clientConfig": {"url": hook.url, "caBundle": certificates.encoded},
            "rules": [RULE],
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
        }
        configuration = {"metadata": {"name": "a"}, "webhooks": [webhook]}
        client.post(f"{ADMISSION}/mutatingwebhookconfigurations", json=configuration).raise_for_status()
        client.post(GADGETS, json=gadget("a", free={"a": 1.0})).raise_for_status()
        shown = hook.received.get(timeout=5).data["request"]["object"]
    assert type(shown["spec"]["free"]["a"]) is int
