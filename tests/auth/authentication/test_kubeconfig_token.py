"""Tokens that clients send in impersonation headers over plain HTTP."""

from memkube.auth.authentication.kubeconfig_token import with_bearer_token

NOBODY = (b"impersonate-user", b"memkube.dev/token")
TOKEN = (b"impersonate-extra-memkube.dev%2ftoken", b"secret")
BEARER = (b"authorization", b"Bearer secret")
ALICE = (b"impersonate-user", b"alice")
TEAM = (b"impersonate-extra-team", b"shop")
HOST = (b"host", b"localhost")


def test_the_token_replaces_the_impersonation() -> None:
    assert with_bearer_token([HOST, NOBODY, TOKEN]) == [HOST, BEARER]


def test_an_impersonation_of_another_user_is_kept() -> None:
    assert with_bearer_token([ALICE, TEAM, TOKEN]) == [ALICE, TEAM, BEARER]


def test_a_bearer_token_takes_precedence() -> None:
    other = (b"authorization", b"Bearer other")
    assert with_bearer_token([other, NOBODY, TOKEN]) == [other]


def test_a_client_that_sends_only_the_user_and_its_own_token_is_that_user() -> None:
    assert with_bearer_token([BEARER, NOBODY]) == [BEARER]


def test_other_impersonations_are_left_alone() -> None:
    assert with_bearer_token([HOST, ALICE, TEAM]) == [HOST, ALICE, TEAM]
