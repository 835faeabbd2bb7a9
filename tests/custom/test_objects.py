import json
from typing import Any

import httpx
import pytest

from tests.custom.gadgets import gadget

GADGETS = "/apis/example.com/v1/namespaces/default/gadgets"


def test_what_the_schema_does_not_know_is_pruned_with_a_warning(client: httpx.Client) -> None:
    answer = client.post(GADGETS, json=gadget("a", taste="sweet"))
    assert answer.json()["spec"] == {"size": 1, "colour": "red"}
    assert answer.headers["warning"] == '299 - "unknown field \\"spec.taste\\""'


@pytest.mark.parametrize("validation", ["Strict", "Warn"])
def test_duplicate_fields_are_named_before_unknown_ones(client: httpx.Client, validation: str) -> None:
    owners = ",".join(f'{{"uid":"{uid}","name":"a","kind":"K","apiVersion":"v1"}}' for uid in range(2, 11))
    owners = f'{{"z":1,"uid":"1","name":"a","kind":"K","apiVersion":"v1"}},{owners},{{"z":1,"uid":"11"}}'
    body = (
        '{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"a","zzz":1,'
        f'"ownerReferences":[{owners}],"labels":{{"a":"b","a":"c"}},"aaa":2}},"spec":{{"size":1,"size":2,"b":1,"a":1}}}}'
    )
    answer = client.post(f"{GADGETS}?fieldValidation={validation}", content=body)
    found = [
        'duplicate field "metadata.labels.a"',
        'duplicate field "spec.size"',
        'unknown field "metadata.aaa"',
        'unknown field "metadata.ownerReferences[0].z"',
        'unknown field "metadata.ownerReferences[10].z"',
        'unknown field "metadata.zzz"',
        'unknown field "spec.a"',
        'unknown field "spec.b"',
    ]
    if validation == "Strict":
        start = 'Gadget in version "v1" cannot be handled as a Gadget: strict decoding error: '
        assert answer.json()["message"] == start + ", ".join(found)
    else:
        warnings = [warning.removeprefix("299 - ") for warning in answer.headers.get_list("warning", split_commas=True)]
        assert warnings == [json.dumps(text) for text in found]


def test_what_the_schema_lets_be_stays(client: httpx.Client) -> None:
    answer = client.post(GADGETS, json=gadget("a", free={"any": [{"thing": 1}]}))
    assert answer.json()["spec"]["free"] == {"any": [{"thing": 1}]}


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        (
            {"size": "large"},
            'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
        ),
        ({"colour": "green"}, 'spec.colour: Unsupported value: "green": supported values: "red", "blue"'),
        ({"parts": [{"weight": 1}]}, "spec.parts[0].name: Required value"),
    ],
)
def test_what_does_not_fit_is_refused(client: httpx.Client, spec: dict[str, Any], why: str) -> None:
    answer = client.post(GADGETS, json=gadget("a", **spec))
    assert answer.status_code == 422
    assert answer.json()["message"] == f'Gadget.example.com "a" is invalid: {why}'


def test_items_that_repeat_hide_nothing_else_that_does_not_fit(client: httpx.Client) -> None:
    twice = [{"name": "wheel"}, {"name": "wheel"}]
    answer = client.post(GADGETS, json=gadget("a", parts=twice, marks="none"))
    assert (answer.status_code, sorted(cause["field"] for cause in answer.json()["details"]["causes"])) == (
        422,
        ["spec.marks", "spec.parts[1]"],
    )


def test_a_strategic_merge_patch_is_refused(client: httpx.Client) -> None:
    client.post(GADGETS, json=gadget("a")).raise_for_status()
    answer = client.patch(
        f"{GADGETS}/a", content=b"{}", headers={"content-type": "application/strategic-merge-patch+json"}
    )
    assert answer.status_code == 415
    assert answer.json()["message"] == (
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"
    )


def test_the_status_is_written_apart(client: httpx.Client) -> None:
    created = client.post(GADGETS, json={**gadget("a"), "status": {"ready": True}}).json()
    assert "status" not in created
    written = client.put(f"{GADGETS}/a/status", json={**created, "spec": {}, "status": {"ready": True}}).json()
    assert (written["status"], written["spec"]["size"], written["metadata"]["generation"]) == ({"ready": True}, 1, 1)


def test_a_null_status_is_applied_where_there_is_none(client: httpx.Client) -> None:
    client.post(GADGETS, json=gadget("a")).raise_for_status()
    nothing = {"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": "a"}, "status": None}
    answer = client.patch(
        f"{GADGETS}/a/status?fieldManager=m", json=nothing, headers={"content-type": "application/apply-patch+yaml"}
    )
    assert (answer.status_code, "status" in answer.json()) == (200, False)


@pytest.mark.parametrize(("sent", "owners"), [([], 1), ([{}], 0)])
def test_an_empty_list_of_managed_fields_resets_nothing(
    client: httpx.Client, sent: list[dict[str, Any]], owners: int
) -> None:
    created = client.post(GADGETS, json=gadget("a")).json()
    metadata = {**created["metadata"], "managedFields": sent}
    written = client.put(f"{GADGETS}/a", json={**created, "metadata": metadata}).json()
    assert len(written["metadata"].get("managedFields", [])) == owners


def test_what_is_wrong_with_changed_metadata_is_told_three_times(client: httpx.Client) -> None:
    client.post(GADGETS, json=gadget("a")).raise_for_status()
    labels = {"metadata": {"labels": {"a": "1 +"}}}
    answer = client.patch(f"{GADGETS}/a", json=labels, headers={"content-type": "application/merge-patch+json"})
    assert [cause["field"] for cause in answer.json()["details"]["causes"]] == ["metadata.labels"] * 3


def test_a_change_of_the_spec_is_a_new_generation(client: httpx.Client) -> None:
    created = client.post(GADGETS, json=gadget("a")).json()
    changed = client.put(f"{GADGETS}/a", json={**created, "spec": {"size": 2}}).json()
    assert changed["metadata"]["generation"] == 2


def test_items_of_a_list_say_what_they_are(client: httpx.Client) -> None:
    client.post(GADGETS, json=gadget("a")).raise_for_status()
    (item,) = client.get(GADGETS.replace("/v1/", "/v1beta1/")).json()["items"]
    assert (item["apiVersion"], item["kind"]) == ("example.com/v1beta1", "Gadget")


def test_a_protobuf_body_is_refused(client: httpx.Client) -> None:
    envelope = b"k8s\x00\x0a\x18\x0a\x0eexample.com/v1\x12\x06Gadget\x12\x02\x0a\x00"
    answer = client.post(GADGETS, content=envelope, headers={"content-type": "application/vnd.kubernetes.protobuf"})
    assert answer.status_code in (400, 415)
