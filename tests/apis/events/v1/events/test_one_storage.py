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
    assert client.get(f"{events}/a").json()["message"] == 'events.events.k8s.io "a" not found'


def test_fields_select_in_each_group_under_its_own_names(client: httpx.Client, created: str) -> None:
    core, events = addresses(created)
    by_new_name = {"fieldSelector": "reportingController=example.com/controller"}
    assert len(client.get(events, params=by_new_name).json()["items"]) == 1
    refusal = client.get(core, params=by_new_name).json()
    assert refusal["message"] == "field label not supported: reportingController"


@pytest.mark.parametrize("content_type", ["merge-patch+json", "strategic-merge-patch+json"])
def test_a_patch_names_the_group_that_it_was_sent_to(client: httpx.Client, namespace: str, content_type: str) -> None:
    path = f"/apis/events.k8s.io/v1/namespaces/{namespace}/events/none"
    answer = client.patch(path, content=b"{}", headers={"Content-Type": f"application/{content_type}"}).json()
    assert answer["message"] == 'events.events.k8s.io "none" not found'


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            {"apiVersion": "v1", "kind": "Event"},
            "the API version in the data (v1) does not match the expected API version (events.k8s.io/v1)",
        ),
        (
            {"apiVersion": "v1", "kind": "Pod"},
            (
                'Pod in version "v1" cannot be handled as a Event: '
                "converting (v1.Pod) to (core.Event): unknown conversion"
            ),
        ),
    ],
)
def test_both_are_one_kind_inside(client: httpx.Client, namespace: str, body: dict[str, str], message: str) -> None:
    answer = client.post(f"/apis/events.k8s.io/v1/namespaces/{namespace}/events", json=body)
    assert (answer.status_code, answer.json()["message"]) == (400, message)


def test_a_precondition_that_fails_names_the_event_by_the_core_group(client: httpx.Client, created: str) -> None:
    _, events = addresses(created)
    answer = client.request("DELETE", f"{events}/a", json={"preconditions": {"uid": "x"}})
    assert answer.json()["message"].startswith('Operation cannot be fulfilled on Event "a": the UID')


def test_the_answer_to_a_create_is_what_a_get_returns(client: httpx.Client, namespace: str) -> None:
    _, events = addresses(namespace)
    old = {
        "deprecatedSource": {},
        "related": {"name": "b"},
        "series": {"count": 2, "lastObservedTime": DATED["eventTime"]},
    }
    body = {"metadata": {"name": "a", "labels": {}}, "regarding": {"namespace": namespace}, **DATED, **old}
    created = client.post(events, json=body)
    assert created.status_code == 201
    assert created.content == client.get(f"{events}/a").content
