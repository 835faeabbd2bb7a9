import httpx
import pytest

DATED = {
    "eventTime": "2026-01-02T03:04:05.000006Z",
    "reportingController": "example.com/controller",
    "reportingInstance": "controller-1",
    "action": "Starting",
    "reason": "Started",
    "note": "it started",
    "type": "Normal",
}


def addresses(namespace: str) -> tuple[str, str]:
    return f"/api/v1/namespaces/{namespace}/events", f"/apis/events.k8s.io/v1/namespaces/{namespace}/events"


@pytest.fixture
def created(client: httpx.Client, namespace: str) -> str:
    _, events = addresses(namespace)
    body = {"metadata": {"name": "a"}, "regarding": {"namespace": namespace}, **DATED}
    client.post(events, json=body).raise_for_status()
    return namespace


def test_an_event_is_read_through_either_group(client: httpx.Client, created: str) -> None:
    core, events = addresses(created)
    assert client.get(f"{core}/a").json()["message"] == "it started"
    assert client.get(f"{events}/a").json()["note"] == "it started"
    assert [item["message"] for item in client.get(core).json()["items"]] == ["it started"]


def test_an_event_that_goes_through_one_group_is_gone_for_the_other(client: httpx.Client, created: str) -> None:
    core, events = addresses(created)
    assert client.delete(f"{core}/a").status_code == 200
    assert client.get(f"{events}/a").json()["message"] == 'events "a" not found'


def test_fields_select_in_each_group_under_its_own_names(client: httpx.Client, created: str) -> None:
    core, events = addresses(created)
    by_new_name = {"fieldSelector": "reportingController=example.com/controller"}
    assert len(client.get(events, params=by_new_name).json()["items"]) == 1
    refusal = client.get(core, params=by_new_name).json()
    assert refusal["message"] == "field label not supported: reportingController"
