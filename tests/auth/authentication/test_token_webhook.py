from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from memkube.auth.authentication.options import AuthenticationOptions
from memkube.auth.authentication.token_webhook_options import TokenWebhookOptions
from memkube.server.settings import Settings
from tests.auth.webhooks import TOKEN, Status, reviewing, server_with, webhook_kubeconfig
from tests.hooks.listening import Hook

WHO = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews"
ISSUER = "https://kubernetes.default.svc.cluster.local"
ALICE = {"username": "alice", "uid": "1", "groups": ["dev"], "extra": {"team": ["shop"]}}


@contextmanager
def _asking(folder: Path, status: Status, version: str = "v1") -> Iterator[tuple[httpx.Client, Hook]]:
    with reviewing(folder, status) as (hook, kubeconfig):
        options = TokenWebhookOptions(kubeconfig, version)
        with server_with(Settings(authentication=AuthenticationOptions(token_webhook=options))) as client:
            yield client, hook


def _known(spec: dict[str, Any]) -> dict[str, Any]:
    return {"authenticated": spec["token"] == "a", "user": ALICE if spec["token"] == "a" else {}}


def _who(client: httpx.Client, token: str) -> Any:
    answer = client.post(WHO, json={}, headers={"Authorization": f"Bearer {token}"})
    return answer.json()["status"]["userInfo"] if answer.status_code == 201 else answer.status_code


def test_a_token_that_it_knows_names_the_user(tmp_path: Path) -> None:
    with _asking(tmp_path, _known) as (client, hook):
        assert _who(client, "a") == {**ALICE, "groups": ["dev", "system:authenticated"]}
        review = hook.received.get().data
    assert (review["kind"], review["apiVersion"]) == ("TokenReview", "authentication.k8s.io/v1")
    assert review["spec"] == {"token": "a", "audiences": [ISSUER]}


def test_other_tokens_are_refused(tmp_path: Path) -> None:
    with _asking(tmp_path, _known) as (client, _):
        assert _who(client, "b") == 401


def test_a_static_token_is_not_asked_about(tmp_path: Path) -> None:
    with _asking(tmp_path, _known) as (client, hook):
        assert _who(client, TOKEN)["username"] == "kubernetes-admin"
        assert hook.received.qsize() == 0


def test_answers_are_remembered(tmp_path: Path) -> None:
    with _asking(tmp_path, _known, "v1beta1") as (client, hook):
        assert [_who(client, token) for token in "abab"][1::2] == [401, 401]
        assert [hook.received.get().data["spec"]["token"] for _ in range(hook.received.qsize())] == ["a", "b"]


def test_a_token_of_another_audience_is_refused(tmp_path: Path) -> None:
    with _asking(tmp_path, lambda spec: {"authenticated": True, "user": ALICE, "audiences": ["other"]}) as (client, _):
        assert _who(client, "a") == 401


def test_token_reviews_ask_it_and_tell_its_error(tmp_path: Path) -> None:
    status = {"authenticated": False, "error": "expired"}
    with _asking(tmp_path, lambda spec: status) as (client, _):
        asked = client.post(REVIEWS, json={"spec": {"token": "a"}}, headers={"Authorization": f"Bearer {TOKEN}"})
    assert asked.json()["status"] == {"user": {}, "error": "[invalid bearer token, expired]"}


def test_a_webhook_that_fails_knows_no_token(tmp_path: Path) -> None:
    options = TokenWebhookOptions(webhook_kubeconfig(tmp_path, "https://127.0.0.1:1/a"))
    with server_with(Settings(authentication=AuthenticationOptions(token_webhook=options))) as client:
        assert _who(client, "a") == 401
