from typing import Any

import httpx
import pytest

CONTAINERS = [{"name": "app", "image": "nginx:1.27"}]
MERGE = {"content-type": "application/merge-patch+json"}


def template(**metadata: Any) -> dict[str, Any]:
    return {"metadata": metadata, "spec": {"containers": CONTAINERS, "restartPolicy": "Never"}}


def create(client: httpx.Client, namespace: str, **spec: Any) -> httpx.Response:
    path = f"/apis/batch/v1/namespaces/{namespace}/jobs"
    return client.post(path, json={"metadata": {"name": "work"}, "spec": {"template": template(), **spec}})


def test_a_job_selects_its_own_pods(client: httpx.Client, namespace: str) -> None:
    job = create(client, namespace).json()
    uid = job["metadata"]["uid"]
    generated = {"controller-uid": uid, "job-name": "work"}
    prefixed = {f"batch.kubernetes.io/{name}": value for name, value in generated.items()}
    assert job["spec"]["selector"] == {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}
    assert job["spec"]["template"]["metadata"]["labels"] == {**generated, **prefixed}
    assert job["metadata"]["labels"] == {**generated, **prefixed}


def test_a_job_has_the_labels_of_its_template(client: httpx.Client, namespace: str) -> None:
    job = create(client, namespace, template=template(labels={"app": "web"})).json()
    assert job["metadata"]["labels"] == job["spec"]["template"]["metadata"]["labels"]
    (entry,) = job["metadata"]["managedFields"]
    assert entry["fieldsV1"]["f:metadata"] == {"f:labels": {".": {}, "f:app": {}}}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"completionMode": ""}, 'spec.completionMode: Unsupported value: ""'),
        (
            {"podFailurePolicy": {"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In"}}]}},
            "onExitCodes.values: Invalid value: null: at least one value is required",
        ),
    ],
)
def test_empty_is_not_absent(client: httpx.Client, namespace: str, spec: dict[str, Any], message: str) -> None:
    assert message in create(client, namespace, **spec).json()["message"]


def test_labels_that_are_generated_cannot_be_others(client: httpx.Client, namespace: str) -> None:
    refused = create(client, namespace, template=template(labels={"job-name": "other"})).json()
    fields = [cause["field"] for cause in refused["details"]["causes"]]
    assert fields[0] == "spec.template.metadata.labels[job-name]"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"completionMode": "Indexed", "parallelism": 1}, "spec.completions: Required value: when completion mode is"),
        ({"maxFailedIndexes": 1}, "spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified"),
        ({"managedBy": "me"}, 'spec.managedBy: Invalid value: "me": must be a domain-prefixed path'),
        ({"successPolicy": {"rules": []}}, "requires indexed completion mode"),
        (
            {"template": {"spec": {"containers": CONTAINERS}}},
            'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
        ),
        (
            {"podFailurePolicy": {"rules": [{"action": "Odd"}]}},
            "spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions",
        ),
        (
            {"podFailurePolicy": {"rules": [{"action": "Count", "onExitCodes": {"operator": "In", "values": [2, 1]}}]}},
            "spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [2,1]: must be ordered",
        ),
    ],
)
def test_a_spec_that_makes_no_sense_is_refused(
    client: httpx.Client, namespace: str, spec: dict[str, Any], message: str
) -> None:
    answer = create(client, namespace, **spec)
    assert answer.status_code == 422
    assert message in answer.json()["message"]


def test_the_template_of_a_suspended_job_may_change_a_little(client: httpx.Client, namespace: str) -> None:
    path = f"/apis/batch/v1/namespaces/{namespace}/jobs/work"
    create(client, namespace, suspend=True).raise_for_status()
    scheduling = {"spec": {"template": {"spec": {"nodeSelector": {"zone": "a"}}}}}
    client.patch(path, json=scheduling, headers=MERGE).raise_for_status()
    command = {"spec": {"template": {"spec": {"containers": [{**CONTAINERS[0], "image": "other"}]}}}}
    assert client.patch(path, json=command, headers=MERGE).status_code == 422
    client.patch(path, json={"spec": {"suspend": False}}, headers=MERGE).raise_for_status()
    scheduling["spec"]["template"]["spec"]["nodeSelector"]["zone"] = "b"
    assert client.patch(path, json=scheduling, headers=MERGE).status_code == 422


@pytest.mark.parametrize(("query", "warned"), [("", True), ("?propagationPolicy=Background", False)])
def test_whoever_leaves_pods_behind_is_warned(client: httpx.Client, namespace: str, query: str, warned: bool) -> None:
    create(client, namespace).raise_for_status()
    answer = client.delete(f"/apis/batch/v1/namespaces/{namespace}/jobs/work{query}")
    assert ("child pods are preserved" in answer.headers.get("warning", "")) is warned


def test_a_changed_template_is_shown_as_it_is_held_inside(client: httpx.Client, namespace: str) -> None:
    create(client, namespace, template=template(labels={"app": "web"}))
    change = {"spec": {"template": {"spec": {"hostNetwork": True}}}}
    refused = client.patch(f"/apis/batch/v1/namespaces/{namespace}/jobs/work", json=change, headers=MERGE).json()
    (cause,) = refused["details"]["causes"]
    assert cause["field"] == "spec.template"
    assert cause["message"].startswith('Invalid value: {"labels":{"app":"web",')
    assert '"Spec":{"Volumes":null,' in cause["message"]
    assert '"SecurityContext":{"HostNetwork":true,' in cause["message"]


@pytest.mark.parametrize(("metadata", "shared"), [({"name": "a"}, True), ({"generateName": "a-"}, False)])
def test_a_job_with_a_name_of_its_own_shares_the_labels_of_its_template(
    client: httpx.Client, namespace: str, metadata: dict[str, str], shared: bool
) -> None:
    containers = {"restartPolicy": "Never", "containers": [{"name": "a", "image": "b"}]}
    template = {"metadata": {"labels": {"app": "web"}}, "spec": containers}
    job = {"metadata": metadata, "spec": {"template": template}}
    labels = client.post(f"/apis/batch/v1/namespaces/{namespace}/jobs", json=job).json()["metadata"]["labels"]
    assert ("job-name" in labels, labels["app"]) == (shared, "web")


def test_the_first_update_of_a_job_that_got_its_labels_is_written_even_if_it_changes_nothing(
    client: httpx.Client, namespace: str
) -> None:
    path = f"/apis/batch/v1/namespaces/{namespace}/jobs/work"
    made = create(client, namespace).json()["metadata"]["resourceVersion"]
    versions = [client.patch(path, json={}, headers=MERGE).json()["metadata"]["resourceVersion"] for _ in range(2)]
    assert made != versions[0] == versions[1]
