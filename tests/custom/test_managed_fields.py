"""The managedFields that a client sends with a custom object."""

from typing import Any, Final

import httpx
import pytest

from tests.custom.gadgets import gadget

V1: Final = "/apis/example.com/v1/namespaces/default/gadgets"
BETA: Final = "/apis/example.com/v1beta1/namespaces/default/gadgets"
APPLY: Final = {"content-type": "application/apply-patch+yaml"}
COLLECTIONS: Final = pytest.mark.parametrize(("collection", "version"), [(V1, "v1"), (BETA, "v1beta1")])


def entry(**changes: Any) -> dict[str, Any]:
    """Return an entry of managedFields that owns a label, with the given changes."""
    return {
        "manager": "earlier",
        "operation": "Update",
        "apiVersion": "example.com/v1",
        "time": "2026-01-01T00:00:00Z",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:metadata": {"f:labels": {"f:gone": {}}}},
        **changes,
    }


def managers(answer: httpx.Response) -> list[str]:
    return [entry["manager"] for entry in answer.raise_for_status().json()["metadata"].get("managedFields", [])]


def post(client: httpx.Client, collection: str, version: str, sent: Any) -> httpx.Response:
    body = gadget("a", version)
    body["metadata"]["managedFields"] = sent
    return client.post(f"{collection}?fieldManager=creator", json=body)


@COLLECTIONS
@pytest.mark.parametrize("owned", ["example.com/v1", "example.com/v1beta1"])
def test_a_new_object_keeps_the_owners_it_is_sent_with(
    client: httpx.Client, collection: str, version: str, owned: str
) -> None:
    answer = post(client, collection, version, [entry(apiVersion=owned)])
    assert managers(answer) == ["earlier", "creator"]


@COLLECTIONS
@pytest.mark.parametrize("owned", ["example.com/v1", "example.com/v1beta1"])
def test_the_creator_takes_the_fields_that_the_object_sets(
    client: httpx.Client, collection: str, version: str, owned: str
) -> None:
    answer = post(client, collection, version, [entry(apiVersion=owned, fieldsV1={"f:spec": {"f:size": {}}})])
    (only,) = answer.json()["metadata"]["managedFields"]
    assert (only["manager"], only["fieldsV1"]) == ("creator", {"f:spec": {".": {}, "f:colour": {}, "f:size": {}}})


@COLLECTIONS
@pytest.mark.parametrize("owned", ["example.com/v9", "other.com/v1", "v1", "a/b/c"])
def test_nobody_owns_a_new_object_with_an_entry_of_a_version_that_the_kind_does_not_have(
    client: httpx.Client, collection: str, version: str, owned: str
) -> None:
    assert managers(post(client, collection, version, [entry(apiVersion=owned)])) == []


@COLLECTIONS
@pytest.mark.parametrize(
    "sent",
    [
        None,
        [],
        [{}],
        [None],
        [entry(operation="Delete")],
        [entry(apiVersion="")],
        [entry(fieldsType="")],
        [entry(fieldsType="FieldsV2")],
        [entry(fieldsV1="x")],
        [entry(fieldsV1=[])],
        [entry(fieldsV1={"spec": {}})],
        [entry(fieldsV1={"f:spec": 1})],
        [entry(fieldsV1={"k:{": {}})],
        [entry(), entry(operation="")],
        [entry(fieldsV1=None)],
        [entry(fieldsV1={"x:unknown": {}})],
    ],
)
def test_a_new_object_belongs_to_its_creator_if_no_entry_can_be_read(
    client: httpx.Client, collection: str, version: str, sent: Any
) -> None:
    assert managers(post(client, collection, version, sent)) == ["creator"]


@COLLECTIONS
@pytest.mark.parametrize(
    "sent",
    [
        [entry()],
        [entry(apiVersion="example.com/v1beta1")],
        [entry(operation="Apply")],
        [entry(subresource="status")],
        [{name: value for name, value in entry().items() if name != "time"}],
        [entry(), entry(manager="second", operation="Apply", apiVersion="example.com/v1beta1")],
    ],
)
def test_every_later_write_works_on_an_object_created_with_owners(
    client: httpx.Client, collection: str, version: str, sent: Any
) -> None:
    created = post(client, collection, version, sent)
    for other, name in ((V1, "v1"), (BETA, "v1beta1")):
        stored = client.get(f"{other}/a").json()
        size = int(stored["spec"]["size"]) + 1
        answers = [
            client.put(f"{other}/a?fieldManager=putter", json={**stored, "spec": {"size": size}}),
            client.patch(f"{other}/a?fieldManager=applier&force=true", json=gadget("a", name), headers=APPLY),
            client.patch(
                f"{other}/a/status?fieldManager=reporter", json={**gadget("a", name), "status": {}}, headers=APPLY
            ),
        ]
        assert [answer.status_code for answer in answers] == [200, 200, 200]
        assert set(managers(created)) - {"creator"} <= set(managers(answers[-1]))


@pytest.mark.parametrize("sent", [[], [{}], [entry()]])
def test_an_applied_object_may_not_have_owners(client: httpx.Client, sent: Any) -> None:
    body = gadget("a")
    body["metadata"]["managedFields"] = sent
    answer = client.patch(f"{V1}/a?fieldManager=m", json=body, headers=APPLY)
    assert (answer.status_code, answer.json()["message"]) == (400, "metadata.managedFields must be nil")


@pytest.mark.parametrize("sent", [None, [entry(time="yesterday")]])
def test_apply_overlooks_owners_that_cannot_be_read(client: httpx.Client, sent: Any) -> None:
    body = gadget("a")
    body["metadata"]["managedFields"] = sent
    answer = client.patch(f"{V1}/a?fieldManager=m", json=body, headers=APPLY)
    assert managers(answer) == ["m"]


def test_apply_refuses_an_entry_of_a_wrong_type_by_the_schema(client: httpx.Client) -> None:
    body = gadget("a")
    body["metadata"]["managedFields"] = [entry(manager=3)]
    answer = client.patch(f"{V1}/a?fieldManager=m", json=body, headers=APPLY)
    assert answer.status_code == 500
    assert answer.json()["message"].endswith(
        ".metadata.managedFields[0].manager: expected string, got &value.valueUnstructured{Value:3}"
    )
