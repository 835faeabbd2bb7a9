"""The requests that webhooks receive, and the effects of their responses."""

import json
from base64 import b64encode
from subprocess import run
from sys import executable
from threading import Barrier
from typing import Any

import httpx
import pytest

from tests.admission.webhooks.conftest import Register
from tests.hooks.listening import Answer, Received, review

_NO_CLIENT_IMPORTED = """
import asyncio, sys
from memkube.server.app import create_core
from memkube.registry.declarations.request_options import WriteContext
from memkube.server.settings import Settings

async def main():
    maps = create_core(Settings()).parts.registry.find("", "v1", "namespaces")
    await maps.create(maps.resource.model.from_document({"metadata": {"name": "a"}}), WriteContext())

asyncio.run(main())
print([name for name in ("httpcore", "memkube.hooks.dialing") if name in sys.modules])
"""


def patching(*operations: Any) -> Answer:
    patch = b64encode(json.dumps(operations).encode()).decode()
    return lambda received: review(received, patch=patch, patchType="JSONPatch")


def test_the_http_client_is_not_imported_while_there_are_no_webhooks() -> None:
    assert run([executable, "-c", _NO_CLIENT_IMPORTED], capture_output=True, check=True, text=True).stdout == "[]\n"


def test_an_eviction_is_reviewed_and_the_deletion_that_follows_is_not(
    client: httpx.Client, namespace: str, register: Register
) -> None:
    pods = f"/api/v1/namespaces/{namespace}/pods"
    client.post(pods, json={"metadata": {"name": "a"}, "spec": {"containers": [{"name": "a", "image": "a"}]}})
    rule = {"operations": ["*"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods/*"]}
    hook = register(review, rules=[rule])
    client.post(f"{pods}/a/eviction", json={"metadata": {"name": "a"}}).raise_for_status()
    request = hook.received.get(timeout=60).data["request"]
    assert (request["operation"], request["subResource"], request["kind"]["kind"]) == ("CREATE", "eviction", "Eviction")
    assert hook.received.empty()


@pytest.mark.parametrize(("given", "shown"), [({"rules": []}, []), ({"rules": None}, None), ({}, None)])
def test_an_empty_list_is_shown_as_the_client_sent_it(
    client: httpx.Client, namespace: str, register: Register, given: dict[str, Any], shown: list[Any] | None
) -> None:
    roles = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}/roles"
    rule = {
        "operations": ["*"],
        "apiGroups": ["rbac.authorization.k8s.io"],
        "apiVersions": ["v1"],
        "resources": ["roles"],
    }
    hook = register(review, rules=[rule])
    client.post(roles, json={"metadata": {"name": "a"}, **given}).raise_for_status()
    assert hook.received.get(timeout=60).data["request"]["object"]["rules"] == shown
    client.put(f"{roles}/a", json={"metadata": {"name": "a", "labels": {"a": "b"}}, **given}).raise_for_status()
    request = hook.received.get(timeout=60).data["request"]
    assert (request["object"]["rules"], request["oldObject"]["rules"]) == (shown, None)


@pytest.mark.parametrize("policy", ["Equivalent", "Exact"])
def test_a_rule_about_one_group_of_events_is_about_the_other_as_well(
    client: httpx.Client, namespace: str, register: Register, policy: str
) -> None:
    rule = {"operations": ["*"], "apiGroups": ["events.k8s.io"], "apiVersions": ["v1"], "resources": ["events"]}
    hook = register(review, rules=[rule], matchPolicy=policy)
    event = {"metadata": {"name": "a"}, "involvedObject": {"namespace": namespace}, "message": "m"}
    client.post(f"/api/v1/namespaces/{namespace}/events", json=event).raise_for_status()
    assert hook.received.empty() == (policy == "Exact")
    if policy == "Equivalent":
        request = hook.received.get(timeout=60).data["request"]
        assert (request["object"]["note"], request["requestKind"]["group"]) == ("m", "")


def test_a_patch_that_only_cuts_a_time_short_has_webhooks_asked_again(
    client: httpx.Client, config_maps: str, register: Register
) -> None:
    first = register(review, "mutating", reinvocationPolicy="IfNeeded")
    register(patching({"op": "add", "path": "/odd", "value": 1}), "mutating")
    client.post(config_maps, json={"metadata": {"name": "a"}, "data": {"a": "b"}}).raise_for_status()
    assert first.received.qsize() == 2
    client.post(config_maps, json={"metadata": {"name": "nobody-owns-anything"}}).raise_for_status()
    assert first.received.qsize() == 3


def test_a_patch_that_makes_an_annotation_unreadable_is_refused(
    client: httpx.Client, namespace: str, register: Register
) -> None:
    rule = {"operations": ["*"], "apiGroups": ["apps"], "apiVersions": ["v1"], "resources": ["deployments"]}
    unreadable = {"op": "add", "path": "/metadata/annotations", "value": {"deprecated.deployment.rollback.to": "x"}}
    register(patching(unreadable), "mutating", rules=[rule])
    refused = client.post(f"/apis/apps/v1/namespaces/{namespace}/deployments", json={"metadata": {"name": "a"}})
    why = "failed to parse annotation[deprecated.deployment.rollback.to]=x as int64: "
    assert (refused.status_code, refused.json()["message"]) == (
        500,
        why + 'strconv.ParseInt: parsing "x": invalid syntax',
    )


def test_a_webhook_sees_the_repeated_owners_of_a_patch(
    client: httpx.Client, config_maps: str, register: Register
) -> None:
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "1"}
    client.post(config_maps, json={"metadata": {"name": "a"}}).raise_for_status()
    hook = register(review, "mutating")
    patch = {"metadata": {"ownerReferences": [owner, owner]}}
    headers = {"Content-Type": "application/merge-patch+json"}
    answer = client.patch(f"{config_maps}/a", json=patch, headers=headers)
    seen = hook.received.get(timeout=60).data["request"]["object"]
    assert seen["metadata"]["ownerReferences"] == [owner, owner]
    assert answer.json()["metadata"]["ownerReferences"] == [owner]


def test_repeated_owners_that_a_webhook_adds_are_dropped_with_a_warning(
    client: httpx.Client, config_maps: str, register: Register
) -> None:
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "1"}
    register(patching({"op": "add", "path": "/metadata/ownerReferences", "value": [owner, owner]}), "mutating")
    answer = client.post(config_maps, json={"metadata": {"name": "a"}})
    assert answer.json()["metadata"]["ownerReferences"] == [owner]
    assert "duplicate entries after mutating admission happens" in answer.headers["warning"]


@pytest.mark.parametrize(
    ("field", "why"),
    [
        ("operation", "operation must be `Apply` or `Update`"),
        ("apiVersion", "apiVersion must not be empty"),
        ("fieldsType", "missing fieldsType in managed fields entry 0"),
    ],
)
def test_managed_fields_that_a_webhook_breaks_are_restored(
    client: httpx.Client, config_maps: str, register: Register, field: str, why: str
) -> None:
    register(patching({"op": "remove", "path": f"/metadata/managedFields/0/{field}"}), "mutating")
    answer = client.post(config_maps, json={"metadata": {"name": "a"}, "data": {"a": "b"}})
    assert answer.json()["metadata"]["managedFields"][0][field]
    assert answer.headers["warning"].endswith(f'please fix your requests: {why}"')


def test_a_refusal_is_shown_as_the_webhook_has_written_it(
    client: httpx.Client, config_maps: str, register: Register
) -> None:
    status = {"code": 451, "reason": "Because", "message": "m", "status": "Odd", "metadata": {"resourceVersion": "7"}}
    register(lambda received: review(received, allowed=False, status=status))
    answer = client.post(config_maps, json={"metadata": {"name": "a"}})
    said = 'admission webhook "a.hooks.example.com" denied the request: m'
    assert answer.status_code == 451
    assert answer.json() == {"kind": "Status", "apiVersion": "v1", **status, "message": said}


def test_validating_webhooks_are_asked_at_the_same_time(
    client: httpx.Client, config_maps: str, register: Register
) -> None:
    both = Barrier(2)

    def answer(received: Received) -> bytes:
        both.wait(20)
        return review(received)

    register(answer)
    register(answer)
    assert client.post(config_maps, json={"metadata": {"name": "a"}}).status_code == 201
