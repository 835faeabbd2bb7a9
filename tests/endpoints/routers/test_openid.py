from collections.abc import Iterator

import httpx
import jwt
import pytest

from memkube.apis.authentication.v1.tokens.options import TokenOptions
from memkube.server.server import Server
from memkube.server.settings import Settings

CONFIGURATION = "/.well-known/openid-configuration"
JWKS = "/openid/v1/jwks"
ISSUER = "https://kubernetes.default.svc.cluster.local"


@pytest.fixture
def unnamed() -> Iterator[httpx.Client]:
    """A client of a server whose issuer is not a URL, so that there is no discovery document."""
    settings = Settings(controllers=(), tokens=TokenOptions(issuers=("robots",)))
    with Server(settings).in_thread() as server, httpx.Client(base_url=server.url, trust_env=False) as connected:
        yield connected


def test_whoever_follows_the_configuration_can_verify_a_token(client: httpx.Client, namespace: str) -> None:
    accounts = f"/api/v1/namespaces/{namespace}/serviceaccounts"
    client.post(accounts, json={"metadata": {"name": "robot"}}).raise_for_status()
    request = {"spec": {"audiences": ["vault"]}}
    token = client.post(f"{accounts}/robot/token", json=request).json()["status"]["token"]
    found = client.get(CONFIGURATION).json()
    assert found["issuer"] == ISSUER
    keys = jwt.PyJWKSet.from_dict(client.get(found["jwks_uri"]).json())
    key = keys[jwt.get_unverified_header(token)["kid"]]
    claims = jwt.decode(token, key, found["id_token_signing_alg_values_supported"], audience="vault", issuer=ISSUER)
    assert claims["sub"] == f"system:serviceaccount:{namespace}:robot"


@pytest.mark.parametrize(
    ("path", "media_type"), [(CONFIGURATION, "application/json"), (JWKS, "application/jwk-set+json")]
)
def test_both_documents_may_be_kept_for_an_hour(client: httpx.Client, path: str, media_type: str) -> None:
    headers = client.get(path).headers
    assert headers["content-type"] == media_type
    assert headers.get_list("cache-control") == ["public, max-age=3600"]


@pytest.mark.parametrize("path", [CONFIGURATION, JWKS])
def test_they_are_only_read_and_only_as_what_they_are(client: httpx.Client, path: str) -> None:
    assert client.post(path).status_code == 405
    assert client.get(path, headers={"accept": "text/html"}).status_code == 406


def test_an_issuer_that_is_no_address_is_not_described(unnamed: httpx.Client) -> None:
    assert unnamed.get(CONFIGURATION).status_code == 404
    assert unnamed.get(JWKS).text == "404 page not found\n"
