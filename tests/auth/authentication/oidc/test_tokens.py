"""Authentication of users by tokens of an OpenID Connect provider."""

from collections.abc import Iterator
from pathlib import Path
from time import time
from typing import Any

import httpx
import jwt
import pytest

from memkube.auth.authentication.options import AuthenticationOptions, OidcOptions
from memkube.server.server import Server
from memkube.server.settings import Settings
from tests.auth.authentication.oidc.provider import Provider, running_provider

REVIEW = "/apis/authentication.k8s.io/v1/selfsubjectreviews"


@pytest.fixture(scope="module")
def provider(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Provider]:
    with running_provider(tmp_path_factory.mktemp("provider")) as running:
        yield running


@pytest.fixture(scope="module")
def client(provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    file = tmp_path_factory.mktemp("oidc") / "ca.crt"
    file.write_text(provider.pem)
    oidc = OidcOptions(
        provider.url, "memkube", file, groups_claim="roles", groups_prefix="oidc:", required_claims=(("hd", "acme"),)
    )
    settings = Settings(controllers=(), authentication=AuthenticationOptions(oidc=oidc))
    with Server(settings).in_thread() as server, httpx.Client(base_url=server.url) as connected:
        yield connected


def user_of(client: httpx.Client, token: str) -> Any:
    """Return the user that the server derives from this token, or the status code of the refusal."""
    answer = client.post(REVIEW, json={}, headers={"authorization": f"Bearer {token}"})
    return answer.json()["status"]["userInfo"] if answer.status_code == 201 else answer.status_code


def test_a_token_names_its_user_and_groups(client: httpx.Client, provider: Provider) -> None:
    token = provider.token(hd="acme", roles=["dev", "ops"], jti="7")
    assert user_of(client, token) == {
        "username": f"{provider.url}#jane",
        "groups": ["oidc:dev", "oidc:ops", "system:authenticated"],
        "extra": {"authentication.kubernetes.io/credential-id": ["JTI=7"]},
    }


def test_one_group_may_be_a_text(client: httpx.Client, provider: Provider) -> None:
    assert user_of(client, provider.token(hd="acme", roles="dev"))["groups"] == ["oidc:dev", "system:authenticated"]


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": "another"},
        {"aud": 1},
        {"aud": [{"memkube": True}]},
        {"aud": None},
        {"exp": time() - 1},
        {"exp": None},
        {"nbf": time() + 86400},
        {"sub": None},
        {"sub": 7},
        {"hd": "other"},
        {"hd": None},
        {"roles": [1]},
        {"_claim_names": {"roles": "src"}, "_claim_sources": {"src": {"endpoint": "https://a.example.com"}}},
        {"iss": "https://elsewhere.example.com"},
    ],
)
def test_a_token_with_a_claim_that_does_not_fit_is_refused(
    client: httpx.Client, provider: Provider, claims: dict[str, Any]
) -> None:
    assert user_of(client, provider.token(**{"hd": "acme", **claims})) == 401


@pytest.mark.parametrize("claims", [{"aud": ["x", "memkube"]}, {"nbf": time() + 60}])
def test_another_audience_and_a_clock_that_is_early_do_no_harm(
    client: httpx.Client, provider: Provider, claims: dict[str, Any]
) -> None:
    assert user_of(client, provider.token(hd="acme", **claims))["username"].endswith("#jane")


def test_a_token_that_is_signed_by_another_is_refused(client: httpx.Client, provider: Provider) -> None:
    header, payload, signature = provider.token(hd="acme").split(".")
    assert user_of(client, f"{header}.{payload}.{signature[:-8]}AAAAAAAA") == 401


@pytest.mark.parametrize("algorithm", ["none", "HS256", "RS512"])
def test_an_algorithm_that_is_not_allowed_is_refused(client: httpx.Client, provider: Provider, algorithm: str) -> None:
    claims = {"iss": provider.url, "aud": "memkube", "sub": "jane", "exp": time() + 600, "hd": "acme"}
    if algorithm == "RS512":
        token = provider.token(algorithm, hd="acme")
    else:
        token = jwt.encode(claims, "x" * 64 if algorithm == "HS256" else "", algorithm)
    assert user_of(client, token) == 401


def test_new_keys_are_fetched_when_a_token_needs_them(client: httpx.Client, provider: Provider) -> None:
    assert user_of(client, provider.token(hd="acme"))["username"]
    fetched = len(provider.fetched)
    assert user_of(client, provider.token(hd="acme"))["username"]
    assert len(provider.fetched) == fetched
    provider.rotate()
    assert user_of(client, provider.token(hd="acme"))["username"]
    assert len(provider.fetched) > fetched


@pytest.mark.parametrize("published", [5, "text", [None], [{"kty": "RSA"}]])
def test_a_token_is_refused_if_the_published_keys_are_malformed(
    client: httpx.Client, provider: Provider, monkeypatch: pytest.MonkeyPatch, published: Any
) -> None:
    monkeypatch.setattr(provider, "published", published)
    provider.rotate()
    assert user_of(client, provider.token(hd="acme")) == 401


def test_a_review_knows_the_token(client: httpx.Client, provider: Provider) -> None:
    spec = {"token": provider.token(hd="acme")}
    headers = {"authorization": f"Bearer {provider.token(hd='acme')}"}
    answer = client.post("/apis/authentication.k8s.io/v1/tokenreviews", json={"spec": spec}, headers=headers)
    assert answer.json()["status"]["user"]["username"] == f"{provider.url}#jane"


CONFIGURATION = """
apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
anonymous: {{enabled: false}}
jwt:
- issuer:
    url: {url}
    discoveryURL: {url}/elsewhere
    audiences: [memkube, other]
    audienceMatchPolicy: MatchAny
    certificateAuthority: |
{pem}
  claimValidationRules:
  - {{expression: "claims.exp - claims.iat <= 900", message: "the token lives too long"}}
  claimMappings:
    username: {{expression: "'acme:' + claims.sub"}}
    groups: {{expression: "claims.roles.split(',')"}}
    uid: {{claim: sub}}
    extra:
    - {{key: acme.io/team, valueExpression: "has(claims.team) ? claims.team : ''"}}
  userValidationRules:
  - {{expression: "!user.username.startsWith('acme:system:')", message: "reserved"}}
"""


@pytest.fixture(scope="module")
def configured(provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    file = tmp_path_factory.mktemp("configuration") / "authentication.yaml"
    pem = "\n".join(f"      {line}" for line in provider.pem.splitlines())
    file.write_text(CONFIGURATION.format(url=provider.url, pem=pem))
    authentication = AuthenticationOptions(configuration_file=file)
    settings = Settings(controllers=(), authentication=authentication)
    with Server(settings).in_thread() as server, httpx.Client(base_url=server.url) as connected:
        yield connected


def test_expressions_say_who_the_user_is(configured: httpx.Client, provider: Provider) -> None:
    token = provider.token(aud="other", iat=time(), roles="dev,ops", team="blue")
    assert user_of(configured, token) == {
        "username": "acme:jane",
        "uid": "jane",
        "groups": ["dev", "ops", "system:authenticated"],
        "extra": {"acme.io/team": ["blue"]},
    }


@pytest.mark.parametrize(
    "claims",
    [
        {"iat": time() - 5000, "roles": "dev"},
        {"iat": time(), "roles": "dev", "sub": "system:admin"},
        {"iat": time(), "roles": ["dev"]},
        {"iat": time()},
    ],
)
def test_a_rule_that_is_not_met_and_an_expression_that_fails_refuse_the_token(
    configured: httpx.Client, provider: Provider, claims: dict[str, Any]
) -> None:
    assert user_of(configured, provider.token(**claims)) == 401


def test_the_configuration_decides_about_the_anonymous_user(configured: httpx.Client) -> None:
    assert configured.get("/api").status_code == 401


def test_a_provider_that_does_not_answer_refuses_its_tokens(tmp_path: Path) -> None:
    oidc = OidcOptions("https://localhost:1", "memkube")
    claims = {"iss": oidc.issuer_url, "aud": "memkube", "sub": "jane", "exp": time() + 600}
    token = jwt.encode(claims, "x" * 64, "HS256", headers={"alg": "HS256"})
    settings = Settings(controllers=(), authentication=AuthenticationOptions(oidc=oidc))
    with Server(settings).in_thread() as server, httpx.Client(base_url=server.url) as client:
        assert user_of(client, token) == 401
