from typing import Any

import httpx

GROUP = "/apis/flowcontrol.apiserver.k8s.io/v1"
LEVEL = {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}}


def create_schema(client: httpx.Client, name: str, level: str) -> None:
    body = {"metadata": {"name": name}, "spec": {"priorityLevelConfiguration": {"name": level}}}
    client.post(f"{GROUP}/flowschemas", json=body).raise_for_status()


def create_level(client: httpx.Client, name: str) -> None:
    body = {"metadata": {"name": name}, "spec": LEVEL}
    client.post(f"{GROUP}/prioritylevelconfigurations", json=body).raise_for_status()


def condition(client: httpx.Client, name: str) -> Any:
    schema = client.get(f"{GROUP}/flowschemas/{name}").raise_for_status().json()
    (only,) = schema["status"]["conditions"]
    return only["type"], only["status"], only["reason"], only["message"]


def message(level: str, rest: str) -> str:
    return f'This FlowSchema references the PriorityLevelConfiguration object named "{level}" {rest}'


def test_a_schema_tells_whether_its_level_is_there(client: httpx.Client, namespace: str) -> None:
    create_schema(client, namespace, namespace)
    missing = ("Dangling", "True", "NotFound", message(namespace, "but there is no such object"))
    assert condition(client, namespace) == missing
    create_level(client, namespace)
    found = ("Dangling", "False", "Found", message(namespace, "and it exists"))
    assert condition(client, namespace) == found
    client.delete(f"{GROUP}/prioritylevelconfigurations/{namespace}").raise_for_status()
    assert condition(client, namespace) == missing


def test_a_schema_that_names_another_level_tells_of_that_one(client: httpx.Client, namespace: str) -> None:
    create_schema(client, namespace, namespace)
    patch = {"spec": {"priorityLevelConfiguration": {"name": "exempt"}}}
    headers = {"Content-Type": "application/merge-patch+json"}
    client.patch(f"{GROUP}/flowschemas/{namespace}", json=patch, headers=headers).raise_for_status()
    assert condition(client, namespace)[1:3] == ("False", "Found")


def test_the_condition_is_the_servers_own(client: httpx.Client, namespace: str) -> None:
    create_schema(client, namespace, namespace)
    schema = client.get(f"{GROUP}/flowschemas/{namespace}").json()
    entry = schema["metadata"]["managedFields"][0]
    assert (entry["manager"], entry["operation"], entry["subresource"]) == (
        "api-priority-and-fairness-config-consumer-v1",
        "Apply",
        "status",
    )


def test_what_others_write_into_the_condition_is_put_right(client: httpx.Client, namespace: str) -> None:
    create_schema(client, namespace, namespace)
    before = condition(client, namespace)
    patch = {"status": {"conditions": [{"type": "Dangling", "status": "False"}]}}
    headers = {"Content-Type": "application/merge-patch+json"}
    client.patch(f"{GROUP}/flowschemas/{namespace}/status", json=patch, headers=headers).raise_for_status()
    assert condition(client, namespace) == before


def test_a_dry_run_tells_nothing(client: httpx.Client, namespace: str) -> None:
    create_schema(client, namespace, namespace)
    body = {"metadata": {"name": namespace}, "spec": LEVEL}
    client.post(f"{GROUP}/prioritylevelconfigurations?dryRun=All", json=body).raise_for_status()
    assert condition(client, namespace)[1] == "True"
