from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.auth.users import Users, authorized_server

MERGE = "application/merge-patch+json"
WRITE = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["create", "update", "patch"]}
DELETE = {**WRITE, "verbs": ["delete"]}
FINALIZE = {"apiGroups": [""], "resources": ["pods/finalizers"], "verbs": ["update"]}
ANY_FINALIZER = {"apiGroups": ["*"], "resources": ["*/finalizers"], "verbs": ["update"]}
NOT_DELETABLE = "cannot set an ownerRef on a resource you can't delete: , <nil>"
NOT_BLOCKABLE = (
    "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>"
)


@pytest.fixture(scope="module")
def users() -> Iterator[Users]:
    with authorized_server("RBAC", plugins=("OwnerReferencesPermissionEnforcement",)) as clients:
        yield clients


def _owner(uid: str = "u", block: bool | None = None, kind: str = "Pod") -> dict[str, Any]:
    owner = {"apiVersion": "v1", "kind": kind, "name": "web", "uid": uid}
    return owner if block is None else {**owner, "blockOwnerDeletion": block}


def _create(users: Users, namespace: str, *owners: dict[str, Any]) -> httpx.Response:
    body = {"metadata": {"name": "made", "ownerReferences": list(owners)}}
    return users.send("alice", "POST", f"/api/v1/namespaces/{namespace}/configmaps", body)


def _update(users: Users, namespace: str, *owners: dict[str, Any]) -> httpx.Response:
    body = {"metadata": {"name": "made", "ownerReferences": list(owners)}}
    return users.send("alice", "PUT", f"/api/v1/namespaces/{namespace}/configmaps/made", body)


def _message(response: httpx.Response) -> str:
    message: str = response.json()["message"]
    return message.removeprefix('configmaps "made" is forbidden: ')


def test_a_creator_may_set_owners(users: Users) -> None:
    users.grant(users.namespace("creator"), [WRITE])
    assert _create(users, "creator", _owner()).status_code == 201
    assert _update(users, "creator", _owner()).status_code == 200


def test_a_change_of_owners_needs_the_right_to_delete(users: Users) -> None:
    users.grant(users.namespace("changes"), [WRITE])
    _create(users, "changes").raise_for_status()
    assert _message(_update(users, "changes", _owner())) == NOT_DELETABLE
    users.grant("changes", [DELETE], "deleter")
    assert _update(users, "changes", _owner()).status_code == 200


@pytest.mark.parametrize("right", [FINALIZE, ANY_FINALIZER])
def test_blocking_needs_the_right_to_set_finalizers(users: Users, right: dict[str, list[str]]) -> None:
    namespace = users.namespace(f"blocks-{len(right['resources'][0])}")
    users.grant(namespace, [WRITE, DELETE])
    assert _message(_create(users, namespace, _owner(block=True))) == NOT_BLOCKABLE
    assert _create(users, namespace, _owner(block=False)).status_code == 201
    assert _message(_update(users, namespace, _owner(block=True))) == NOT_BLOCKABLE
    users.grant(namespace, [right], "finalizer")
    assert _update(users, namespace, _owner(block=True)).status_code == 200


def test_a_kept_block_is_not_checked_again(users: Users) -> None:
    users.grant(users.namespace("kept"), [WRITE, DELETE])
    body = {"metadata": {"name": "made", "ownerReferences": [_owner("a", block=True)]}}
    users.admin("POST", "/api/v1/namespaces/kept/configmaps", body)
    assert _update(users, "kept", _owner("a", block=True), _owner("b")).status_code == 200
    assert _message(_update(users, "kept", _owner("a", block=True), _owner("b", block=True))) == NOT_BLOCKABLE


def test_an_unknown_kind_cannot_be_blocked(users: Users) -> None:
    users.grant(users.namespace("unknown"), [WRITE])
    assert _message(_create(users, "unknown", _owner(block=True, kind="Nothing"))) == (
        "cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion v1 Kind Nothing: "
        'no matches for kind "Nothing" in version "v1"'
    )
    assert _create(users, "unknown", _owner(kind="Nothing")).status_code == 201


def test_an_audit_finds_the_rights(users: Users) -> None:
    users.grant(users.namespace("audited"), [WRITE, DELETE])
    _create(users, "audited", _owner(block=True))
    found = users.admin("GET", "/memkube/v1/audit?who=alice&namespace=audited&refused=true").json()["users"]
    assert found[0]["roles"][0]["rules"] == [FINALIZE]
