from typing import Any

import httpx
import pytest

_AUTHENTICATED = "system:authenticated"


def _review(client: httpx.Client, *headers: tuple[str, str]) -> httpx.Response:
    return client.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", json={}, headers=list(headers))


@pytest.mark.parametrize(
    ("name", "groups", "result"),
    [
        ("bob", [], [_AUTHENTICATED]),
        ("bob", ["a", "b"], ["a", "b", _AUTHENTICATED]),
        ("bob", ["a,b", ""], ["a,b", "", _AUTHENTICATED]),
        ("bob", [_AUTHENTICATED, "a"], [_AUTHENTICATED, "a"]),
        ("bob", ["system:unauthenticated"], ["system:unauthenticated"]),
        ("system:anonymous", [], ["system:unauthenticated"]),
        ("system:anonymous", ["a"], ["a", "system:unauthenticated"]),
        (
            "system:serviceaccount:default:builder",
            [],
            ["system:serviceaccounts", "system:serviceaccounts:default", _AUTHENTICATED],
        ),
        ("system:serviceaccount:default:builder", ["a"], ["a", _AUTHENTICATED]),
        ("system:serviceaccount:broken", [], [_AUTHENTICATED]),
        ("system:serviceaccount:a:b:c", [], [_AUTHENTICATED]),
        ("system:node:n1", [], ["system:nodes", _AUTHENTICATED]),
        ("system:node:n1", ["a"], ["a", _AUTHENTICATED]),
        ("system:node:N_1", [], [_AUTHENTICATED]),
    ],
)
def test_a_user_is_in_the_groups_that_are_asked_for_or_implied(
    client: httpx.Client, name: str, groups: list[str], result: list[str]
) -> None:
    answer = _review(client, ("Impersonate-User", name), *(("Impersonate-Group", group) for group in groups))
    assert answer.json()["status"]["userInfo"] == {"username": name, "groups": result}


@pytest.mark.parametrize(
    ("headers", "known"),
    [
        ([("Impersonate-Uid", "7")], {"uid": "7"}),
        ([("Impersonate-Extra-Example.com%2fScopes", "View")], {"extra": {"example.com/scopes": ["View"]}}),
        ([("Impersonate-Extra-a", "1"), ("impersonate-extra-A", "2,3")], {"extra": {"a": ["1", "2,3"]}}),
        ([("Impersonate-Extra-%zz", "1")], {"extra": {"%zz": ["1"]}}),
        ([("Impersonate-Extra-", "")], {"extra": {"": [""]}}),
        ([("Impersonate-User", "carol")], {}),
    ],
)
def test_what_else_is_known_of_a_user(
    client: httpx.Client, headers: list[tuple[str, str]], known: dict[str, Any]
) -> None:
    answer = _review(client, ("Impersonate-User", "bob"), *headers)
    assert answer.json()["status"]["userInfo"] == {"username": "bob", "groups": [_AUTHENTICATED], **known}


@pytest.mark.parametrize(
    ("headers", "shown"),
    [
        ([("Impersonate-Group", "a")], 'UID:"", Groups:[]string{"a"}, Extra:map[string][]string(nil)'),
        ([("Impersonate-Uid", "1")], 'UID:"1", Groups:[]string(nil), Extra:map[string][]string(nil)'),
        (
            [("Impersonate-User", ""), ("Impersonate-Extra-b", "c"), ("Impersonate-Extra-a", "d")],
            'UID:"", Groups:[]string(nil), Extra:map[string][]string{"a":[]string{"d"}, "b":[]string{"c"}}',
        ),
    ],
)
@pytest.mark.parametrize("path", ["/api/v1/pods", "/version", "/apis/nothing/v1/pods"])
def test_nobody_is_impersonated_without_a_name(
    client: httpx.Client, headers: list[tuple[str, str]], shown: str, path: str
) -> None:
    answer = client.get(path, headers=headers)
    assert (answer.status_code, answer.json()["reason"]) == (400, "BadRequest")
    message = f'requested &user.DefaultInfo{{Name:"", {shown}}} without impersonating a user name'
    assert answer.json()["message"] == message
