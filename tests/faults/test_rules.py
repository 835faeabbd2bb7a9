from typing import Any

import pytest
from pydantic import ValidationError

from memkube import faults
from memkube.faults.attributes import RequestAttributes
from memkube.faults.rules import FaultRule, Match

_PATCH = RequestAttributes(
    verb="patch",
    group="apps",
    resource="deployments/status",
    namespace="shop",
    name="web-1",
    user="system:anonymous",
    user_agent="kopf/1.0",
)


@pytest.mark.parametrize(
    "match",
    [
        {},
        {"verbs": ("get", "patch")},
        {"groups": ("apps",)},
        {"resources": ("deployments/*",)},
        {"resources": ("deploy*",)},
        {"resources": ("deployments.apps/status",)},
        {"namespaces": ("team", "shop")},
        {"names": ("web-?",)},
        {"users": ("system:*",)},
        {"user_agents": ("kopf/*",)},
        {"verbs": ("patch",), "namespaces": ("shop",), "controllers": True},
    ],
)
def test_a_request_fits_what_is_said_of_it(match: dict[str, Any]) -> None:
    assert Match(**match).fits(_PATCH)


@pytest.mark.parametrize(
    "match",
    [
        {"verbs": ("get",)},
        {"groups": ("",)},
        {"resources": ("deployments",)},
        {"resources": ("pods/status",)},
        {"resources": ("deployments.example.com/status",)},
        {"namespaces": ("default",)},
        {"names": ("web",)},
        {"users": ("alice",)},
        {"user_agents": ("kubectl/*",)},
        {"verbs": ("patch",), "namespaces": ("default",)},
        {"paths": ("/*",)},
    ],
)
def test_a_request_that_differs_in_one_thing_does_not_fit(match: dict[str, Any]) -> None:
    assert not Match(**match).fits(_PATCH)


def test_addresses_without_a_resource_are_named_by_their_path() -> None:
    version = RequestAttributes(verb="get", path="/version")
    assert Match(paths=("/version*",)).fits(version)
    assert not Match().fits(version)


def test_requests_of_controllers_have_to_be_asked_for() -> None:
    binding = RequestAttributes(verb="create", resource="pods/binding", user_agent="kube-scheduler", is_controller=True)
    assert not Match().fits(binding)
    assert Match(controllers=True, user_agents=("kube-scheduler",)).fits(binding)


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ({"match": {"verbs": ["lits"]}, "effect": {"type": "drop"}}, "verbs"),
        ({"match": {"resources": ["Pods"]}, "effect": {"type": "drop"}}, "resources"),
        ({"match": {"paths": ["/version"], "names": ["web"]}, "effect": {"type": "drop"}}, "without a resource"),
        ({"match": {"paths": ["/version"]}, "effect": {"type": "closeWatch"}}, "paths must not be set"),
        ({"match": {"verbs": ["list"]}, "effect": {"type": "closeWatch"}}, "does not apply to the verbs list"),
        ({"match": {"userAgents": ["a"]}, "effect": {"type": "webhookTimeout"}}, "user agent"),
        ({"effect": {"type": "error", "code": 409}}, "only writes conflict"),
        ({"match": {"verbs": ["get"]}, "effect": {"type": "error", "code": 410}}, "only lists and watches expire"),
        ({"effect": {"type": "error", "code": 418}}, "code"),
        ({"effect": {"type": "error", "code": 500, "retryAfterSeconds": 1}}, "not 500"),
        ({"effect": {"type": "error", "code": 503, "asText": True}}, "not 503"),
        ({"effect": {"type": "staleReads", "ageSeconds": 1, "revisions": 1}}, "only one of"),
        ({"when": {"first": 1}, "effect": {"type": "clockDrift", "seconds": 1}}, "does not apply to requests"),
        ({"when": {"probability": 0}, "effect": {"type": "drop"}}, "probability"),
        ({"name": "No Name", "effect": {"type": "drop"}}, "name"),
        ({"effect": {"type": "explode"}}, "explode"),
    ],
)
def test_a_rule_that_could_never_do_what_it_says_is_refused(rule: dict[str, Any], why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        FaultRule.model_validate(rule)


def test_shorthand_that_contradicts_itself_is_refused() -> None:
    with pytest.raises(ValueError, match="not both"):
        faults.close_watch(expired=True, dropped=True)
