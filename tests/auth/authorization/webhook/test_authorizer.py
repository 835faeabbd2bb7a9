from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from memkube.auth.authorization.webhook.options import ConfiguredAuthorizers, WebhookOptions
from memkube.server.settings import Settings
from tests.auth.webhooks import Status, as_user, reviewing, server_with, webhook_kubeconfig
from tests.hooks.listening import Hook

PODS = "/api/v1/namespaces/default/pods"
ALICE = {"user": "alice", "groups": ["system:authenticated"]}


@contextmanager
def _asking(
    folder: Path, status: Status, *modes: str, user: dict[str, str] | None = None, **options: Any
) -> Iterator[tuple[httpx.Client, Hook]]:
    """Run a server that authorizes requests by a webhook and then by these modes."""
    with reviewing(folder, status, **(user or {})) as (hook, kubeconfig):
        webhooks = (WebhookOptions(kubeconfig, **{"version": "v1", **options}),)
        chosen = Settings(authorizers=ConfiguredAuthorizers(("Webhook", *modes), webhooks))
        with server_with(chosen) as client:
            yield client, hook


def _reviews(hook: Hook) -> list[Any]:
    return [hook.received.get().data for _ in range(hook.received.qsize())]


def test_a_request_for_a_resource_is_described(tmp_path: Path) -> None:
    with _asking(tmp_path, lambda spec: {"allowed": True}) as (client, hook):
        path = f"{PODS}?fieldSelector=spec.nodeName!%3Dn&labelSelector=a%3Db,c"
        assert client.get(path, headers=as_user("alice")).status_code == 200
        (review,) = _reviews(hook)
    attributes = {"namespace": "default", "verb": "list", "version": "v1", "resource": "pods"}
    fields = [{"key": "spec.nodeName", "operator": "NotIn", "values": ["n"]}]
    labels = [{"key": "a", "operator": "In", "values": ["b"]}, {"key": "c", "operator": "Exists"}]
    selectors = {"fieldSelector": {"requirements": fields}, "labelSelector": {"requirements": labels}}
    assert (review["kind"], review["apiVersion"]) == ("SubjectAccessReview", "authorization.k8s.io/v1")
    assert review["spec"] == {"resourceAttributes": attributes | selectors, **ALICE}


def test_a_request_for_a_path_is_described(tmp_path: Path) -> None:
    with _asking(tmp_path, lambda spec: {"allowed": True}) as (client, hook):
        assert client.get("/version", headers=as_user("alice")).status_code == 200
        (review,) = _reviews(hook)
    assert review["spec"] == {"nonResourceAttributes": {"path": "/version", "verb": "get"}, **ALICE}


def test_the_first_version_names_groups_otherwise(tmp_path: Path) -> None:
    with _asking(tmp_path, lambda spec: {"allowed": True}, version="v1beta1") as (client, hook):
        client.get("/version", headers=as_user("alice")).raise_for_status()
        (review,) = _reviews(hook)
    assert review["apiVersion"] == "authorization.k8s.io/v1beta1"
    assert review["spec"]["group"] == ["system:authenticated"]
    assert "groups" not in review["spec"]


@pytest.mark.parametrize(("denied", "code"), [(True, 403), (False, 200)])
def test_other_authorizers_are_asked_unless_it_denies(tmp_path: Path, denied: bool, code: int) -> None:
    with _asking(tmp_path, lambda spec: {"allowed": False, "denied": denied, "reason": "no"}, "AlwaysAllow") as asked:
        response = asked[0].get("/api/v1/pods", headers=as_user("alice"))
    assert response.status_code == code
    assert code == 200 or response.json()["message"].endswith("at the cluster scope: no")


def test_masters_are_not_asked_about(tmp_path: Path) -> None:
    with _asking(tmp_path, lambda spec: {"allowed": False}) as (client, hook):
        assert client.get(PODS, headers=as_user("bob", "system:masters")).status_code == 200
        assert _reviews(hook) == []


def test_answers_are_remembered(tmp_path: Path) -> None:
    with _asking(tmp_path, lambda spec: {"allowed": spec["user"] == "alice"}, authorized_seconds=60) as (client, hook):
        for user, code in (("alice", 200), ("bob", 403)) * 2:
            assert client.get(PODS, headers=as_user(user)).status_code == code
        assert [review["spec"]["user"] for review in _reviews(hook)] == ["alice", "bob"]


def test_answers_are_not_remembered_if_the_time_is_zero(tmp_path: Path) -> None:
    with _asking(tmp_path, lambda spec: {"allowed": True}, authorized_seconds=0) as (client, hook):
        for _ in range(2):
            client.get(PODS, headers=as_user("alice")).raise_for_status()
        assert len(_reviews(hook)) == 2


def test_a_contradiction_is_an_error(tmp_path: Path) -> None:
    with _asking(tmp_path, lambda spec: {"allowed": True, "denied": True}) as (client, _):
        response = client.get("/version?a=b", headers=as_user("alice"))
    why = "webhook subject access review returned both allow and deny response"
    assert (response.status_code, response.text) == (500, f'Internal Server Error: "/version?a=b": {why}\n')


@pytest.mark.parametrize(("denies", "mode", "code"), [(False, "AlwaysAllow", 200), (True, "AlwaysAllow", 500)])
def test_a_webhook_that_fails_is_skipped_unless_it_must_answer(
    tmp_path: Path, denies: bool, mode: str, code: int
) -> None:
    options = WebhookOptions(webhook_kubeconfig(tmp_path, "https://127.0.0.1:1/a"), denies_on_failure=denies)
    chosen = Settings(authorizers=ConfiguredAuthorizers(("Webhook", mode), (options,)))
    with server_with(chosen) as client:
        response = client.get("/version", headers=as_user("alice"))
    assert response.status_code == code
    assert code == 200 or "dial tcp 127.0.0.1:1: connect: connection refused" in response.text


def test_it_is_sent_the_credentials_of_the_kubeconfig(tmp_path: Path) -> None:
    for user, expected in (
        ({"token": "a"}, "Bearer a"),
        ({"username": "a", "password": "b"}, f"Basic {b64encode(b'a:b').decode()}"),
    ):
        with _asking(tmp_path, lambda spec: {"allowed": True}, user=user) as (client, hook):
            client.get(PODS, headers=as_user("alice")).raise_for_status()
            assert {name.lower(): value for name, value in hook.received.get().headers.items()}["authorization"] == (
                expected
            )


def test_access_reviews_ask_it(tmp_path: Path) -> None:
    with _asking(tmp_path, lambda spec: {"allowed": True, "reason": "yes"}) as (client, _):
        spec = {"user": "alice", "resourceAttributes": {"verb": "get", "resource": "pods"}}
        path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
        answered = client.post(path, json={"spec": spec}, headers=as_user("admin", "system:masters"))
    assert answered.json()["status"] == {"allowed": True, "reason": "yes"}
