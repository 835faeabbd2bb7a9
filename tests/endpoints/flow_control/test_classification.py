"""Classification of requests by FlowSchemas."""

from typing import Any

import httpx
import pytest

from memkube.server.server import Server
from memkube.server.settings import Settings

FLOW_CONTROL = "/apis/flowcontrol.apiserver.k8s.io/v1"
SCHEMA, LEVEL = "x-kubernetes-pf-flowschema-uid", "x-kubernetes-pf-prioritylevel-uid"
PODS = "/api/v1/namespaces/default/pods"
SCHEDULER = "system:kube-scheduler"


def names(client: httpx.Client) -> dict[str, str]:
    """Return the names of FlowSchemas and PriorityLevelConfigurations by UID."""
    plurals = ("flowschemas", "prioritylevelconfigurations")
    objects = [item for plural in plurals for item in client.get(f"{FLOW_CONTROL}/{plural}").json()["items"]]
    return {item["metadata"]["uid"]: item["metadata"]["name"] for item in objects}


def classes(client: httpx.Client, path: str, user: str = "", group: str = "", method: str = "GET") -> tuple[str, str]:
    """Return the FlowSchema and the priority level of a request."""
    headers = {"impersonate-user": user} if user else {}
    headers |= {"impersonate-group": group} if group else {}
    answer, known = client.request(method, path, headers=headers), names(client)
    return known[answer.headers[SCHEMA]], known[answer.headers[LEVEL]]


@pytest.mark.parametrize(
    ("user", "path", "schema", "level"),
    [
        ("", PODS, "global-default", "global-default"),
        ("", "/healthz", "probes", "exempt"),
        ("", "/healthz/ping", "probes", "exempt"),
        ("", "/version", "global-default", "global-default"),
        (SCHEDULER, PODS, "kube-scheduler", "workload-high"),
        ("system:serviceaccount:ci:robot", PODS, "service-accounts", "workload-low"),
        ("system:serviceaccount:kube-system:gc", PODS, "kube-system-service-accounts", "workload-high"),
        ("system:serviceaccount:kube-systems:gc", PODS, "service-accounts", "workload-low"),
        (
            SCHEDULER,
            "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/x",
            "system-leader-election",
            "leader-election",
        ),
    ],
)
def test_the_first_schema_that_matches_the_user_and_the_request_counts(
    client: httpx.Client, user: str, path: str, schema: str, level: str
) -> None:
    assert classes(client, path, user) == (schema, level)


def test_requests_of_system_masters_are_exempt(client: httpx.Client) -> None:
    assert classes(client, PODS, "admin", "system:masters") == ("exempt", "exempt")


def test_a_refused_request_has_a_class(client: httpx.Client) -> None:
    assert classes(client, "/api/v1/namespaces/default/pods/missing") == ("global-default", "global-default")


@pytest.mark.parametrize("path", [f"{PODS}/missing/log", "/api/v1/namespaces/default/services/web/proxy/"])
def test_streams_have_no_class(client: httpx.Client, path: str) -> None:
    assert SCHEMA not in client.get(path).headers


def rule(**changed: Any) -> dict[str, Any]:
    everything = {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "clusterScope": True, "namespaces": ["*"]}
    subjects = [{"kind": "User", "user": {"name": "tester"}}]
    return {"subjects": subjects, "resourceRules": [everything | changed]}


@pytest.mark.parametrize(
    ("changed", "path", "matches"),
    [
        ({}, PODS, True),
        ({"verbs": ["get"]}, PODS, False),
        ({"verbs": ["list", "watch"]}, PODS, True),
        ({"resources": ["pods/status"]}, f"{PODS}/x/status", True),
        ({"resources": ["pods"]}, f"{PODS}/x/status", False),
        ({"apiGroups": ["apps"]}, PODS, False),
        ({"namespaces": ["other"]}, PODS, False),
        ({"namespaces": ["other"]}, "/api/v1/nodes", True),
        ({"clusterScope": False}, "/api/v1/nodes", False),
        ({}, "/version", False),
    ],
)
def test_a_rule_about_resources_names_all_that_it_matches(
    client: httpx.Client, changed: dict[str, Any], path: str, matches: bool
) -> None:
    level = {"name": "system"}
    spec = {"priorityLevelConfiguration": level, "matchingPrecedence": 50, "rules": [rule(**changed)]}
    document = {"metadata": {"name": "made-by-a-test"}, "spec": spec}
    client.post(f"{FLOW_CONTROL}/flowschemas", json=document).raise_for_status()
    found = classes(client, path, "tester")
    client.delete(f"{FLOW_CONTROL}/flowschemas/made-by-a-test").raise_for_status()
    assert found == (("made-by-a-test", "system") if matches else ("global-default", "global-default"))


def test_a_schema_whose_level_does_not_exist_matches_nothing(client: httpx.Client) -> None:
    spec = {"priorityLevelConfiguration": {"name": "none"}, "matchingPrecedence": 50, "rules": [rule()]}
    document = {"metadata": {"name": "dangling"}, "spec": spec}
    client.post(f"{FLOW_CONTROL}/flowschemas", json=document).raise_for_status()
    assert classes(client, PODS, "tester") == ("global-default", "global-default")
    client.delete(f"{FLOW_CONTROL}/flowschemas/dangling").raise_for_status()


def test_deleted_mandatory_objects_still_count() -> None:
    headers = {"impersonate-user": "admin", "impersonate-group": "system:masters"}
    with Server(Settings(controllers=())).in_thread() as server, httpx.Client(base_url=server.url) as own_client:
        before = own_client.get(PODS, headers=headers)
        own_client.delete(f"{FLOW_CONTROL}/flowschemas/exempt").raise_for_status()
        own_client.delete(f"{FLOW_CONTROL}/prioritylevelconfigurations/exempt").raise_for_status()
        answer = own_client.get(PODS, headers=headers)
    assert (answer.headers[SCHEMA], answer.headers[LEVEL]) == ("", before.headers[LEVEL])
