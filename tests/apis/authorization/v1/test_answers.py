from typing import Any

import httpx
import pytest

GROUP = "/apis/authorization.k8s.io/v1"
QUESTION = {"resourceAttributes": {"verb": "get", "resource": "pods", "namespace": "default"}}
NO_REQUEST = "exactly one of nonResourceAttributes or resourceAttributes must be specified"


def local(namespace: str) -> str:
    return f"{GROUP}/namespaces/{namespace}/localsubjectaccessreviews"


def asked(client: httpx.Client, address: str, spec: dict[str, Any], **fields: Any) -> dict[str, Any]:
    answer: dict[str, Any] = client.post(address, json={"spec": spec, **fields}).json()
    return answer


@pytest.mark.parametrize(
    ("address", "spec"),
    [
        (f"{GROUP}/selfsubjectaccessreviews", QUESTION),
        (f"{GROUP}/selfsubjectaccessreviews", {"nonResourceAttributes": {}}),
        (f"{GROUP}/subjectaccessreviews", {**QUESTION, "user": "alice"}),
        (f"{GROUP}/subjectaccessreviews", {**QUESTION, "groups": ["developers"]}),
        (local("default"), {**QUESTION, "user": "alice"}),
    ],
)
def test_everything_is_allowed_to_everybody(client: httpx.Client, address: str, spec: dict[str, Any]) -> None:
    answer = asked(client, address, spec, status={"denied": True})
    assert (answer["spec"], answer["status"]) == (spec, {"allowed": True})


@pytest.mark.parametrize(
    ("address", "spec", "error"),
    [
        (f"{GROUP}/selfsubjectaccessreviews", {}, f"spec.resourceAttributes: Invalid value: null: {NO_REQUEST}"),
        (
            f"{GROUP}/selfsubjectaccessreviews",
            {**QUESTION, "nonResourceAttributes": {"path": "/"}},
            (
                'spec.nonResourceAttributes: Invalid value: {"Path":"/","Verb":""}: '
                "cannot be specified in combination with resourceAttributes"
            ),
        ),
        (
            f"{GROUP}/subjectaccessreviews",
            QUESTION,
            'spec.user: Invalid value: "": at least one of user or group must be specified',
        ),
        (
            local("kube-system"),
            {**QUESTION, "user": "alice"},
            'spec.resourceAttributes.namespace: Invalid value: "default": must match metadata.namespace',
        ),
        (
            local("default"),
            {"user": "alice", "nonResourceAttributes": {}},
            'spec.nonResourceAttributes: Invalid value: {"Path":"","Verb":""}: disallowed on this kind of request',
        ),
    ],
)
def test_what_is_no_question_is_refused(client: httpx.Client, address: str, spec: dict[str, Any], error: str) -> None:
    refusal = asked(client, address, spec)
    assert refusal["message"] == f'.authorization.k8s.io "" is invalid: {error}'


def test_a_question_has_no_metadata(client: httpx.Client) -> None:
    refusal = asked(client, f"{GROUP}/selfsubjectaccessreviews", QUESTION, metadata={"name": "x"})
    assert 'metadata: Invalid value: {"name":"x","managedFields":[' in refusal["message"]
    assert refusal["message"].endswith("must be empty")


def test_a_question_may_be_about_a_namespace_that_is_not_there(client: httpx.Client) -> None:
    spec = {"resourceAttributes": {"namespace": "nowhere"}, "user": "alice"}
    assert asked(client, local("nowhere"), spec)["status"] == {"allowed": True}


@pytest.mark.parametrize(
    ("method", "address", "code"),
    [
        ("GET", f"{GROUP}/selfsubjectaccessreviews", 405),
        ("GET", f"{GROUP}/selfsubjectaccessreviews/a", 404),
        ("POST", f"{GROUP}/localsubjectaccessreviews", 404),
    ],
)
def test_questions_are_not_stored(client: httpx.Client, method: str, address: str, code: int) -> None:
    assert client.request(method, address, json={}).status_code == code


def test_all_rules_of_a_namespace_allow_everything(client: httpx.Client) -> None:
    answer = asked(client, f"{GROUP}/selfsubjectrulesreviews", {"namespace": "default"})
    assert answer["spec"] == {}
    assert answer["status"] == {
        "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
        "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
        "incomplete": False,
    }


def test_rules_are_those_of_a_namespace(client: httpx.Client) -> None:
    assert asked(client, f"{GROUP}/selfsubjectrulesreviews", {})["message"] == "no namespace on request"


def test_discovery_tells_of_nothing_stored(client: httpx.Client) -> None:
    resources = client.get(GROUP).json()["resources"]
    assert all(resource["verbs"] == ["create"] and "storageVersionHash" not in resource for resource in resources)
