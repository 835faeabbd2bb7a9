"""Admission of custom objects: policies and webhooks."""

from typing import Any, Final

import httpx

from tests.custom.gadgets import gadget
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
