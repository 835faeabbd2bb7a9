"""Missing, foreign and forged credentials."""

import hashlib
import hmac
from base64 import urlsafe_b64encode
from collections.abc import Callable
from typing import Any

import httpx
import jwt
import orjson
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from memkube.server.server import Server
from tests.auth.authentication.test_authenticator import UNAUTHORIZED

ACCOUNTS = "/api/v1/namespaces/open/serviceaccounts"
FOREIGN = rsa.generate_private_key(65537, 2048)
Forge = Callable[[dict[str, Any], dict[str, Any]], str]


def issued(admin: httpx.Client, name: str, **spec: Any) -> str:
    """Return a token of a new service account."""
    admin.post(ACCOUNTS, json={"metadata": {"name": name}}).raise_for_status()
    token: str = (
        admin.post(f"{ACCOUNTS}/{name}/token", json={"spec": spec}).raise_for_status().json()["status"]["token"]
    )
    return token


def answer(target: Server, token: str | None) -> tuple[int, Any]:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    found = httpx.get(f"{target.url}/api/v1/namespaces/vault/secrets/gold", headers=headers, trust_env=False)
    return found.status_code, found.json()


def public_key(admin: httpx.Client) -> bytes:
    """Return the key with which clients verify tokens, in PEM."""
    key = jwt.PyJWK(admin.get("/openid/v1/jwks").json()["keys"][0]).key
    return bytes(key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))


def test_a_client_without_a_token_reads_nothing(target: Server) -> None:
    assert answer(target, None)[0] == 403


@pytest.mark.parametrize("token", ["wrong", "ROOT", "rootroot", "a.b.c", "..", "e30.e30.", "root,root"])
def test_a_guessed_token_is_unauthorized(target: Server, token: str) -> None:
    assert answer(target, token) == (401, UNAUTHORIZED)


@pytest.mark.parametrize(
    "forge",
    [
        lambda head, claims: jwt.encode(claims, "", "none", head),
        lambda head, claims: jwt.encode(claims, "", "none", {}),
        lambda head, claims: jwt.encode(claims, FOREIGN, "RS256", head),
        lambda head, claims: jwt.encode({**claims, "iss": "https://evil.example"}, FOREIGN, "RS256", head),
        lambda head, claims: jwt.encode(claims, FOREIGN, "RS256", {"jwk": {"kty": "RSA"}, "jku": "http://127.0.0.1/"}),
    ],
    ids=["alg none", "alg none without a key id", "foreign key", "foreign issuer", "key in the token"],
)
def test_a_forged_token_is_unauthorized(target: Server, admin: httpx.Client, forge: Forge) -> None:
    account = f"forged-{abs(hash(forge))}"
    token = issued(admin, account)
    assert answer(target, token)[0] == 403
    head = {name: value for name, value in jwt.get_unverified_header(token).items() if name != "alg"}
    claims = jwt.decode(token, options={"verify_signature": False})
    assert answer(target, forge(head, claims)) == (401, UNAUTHORIZED)


def test_a_public_key_signs_nothing(target: Server, admin: httpx.Client) -> None:
    token = issued(admin, "confused")
    claims = jwt.decode(token, options={"verify_signature": False})
    head = urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').rstrip(b"=")
    body = head + b"." + urlsafe_b64encode(orjson.dumps(claims)).rstrip(b"=")
    signature = urlsafe_b64encode(hmac.new(public_key(admin), body, hashlib.sha256).digest()).rstrip(b"=")
    assert answer(target, (body + b"." + signature).decode()) == (401, UNAUTHORIZED)


def test_a_changed_token_is_unauthorized(target: Server, admin: httpx.Client) -> None:
    head, _, signature = issued(admin, "changed").split(".")
    claims = jwt.decode(issued(admin, "other"), options={"verify_signature": False})
    body = jwt.encode(claims, "k" * 32, "HS256").split(".")[1]
    assert answer(target, f"{head}.{body}.{signature}") == (401, UNAUTHORIZED)


def test_an_expired_token_is_unauthorized(target: Server, admin: httpx.Client) -> None:
    token = issued(admin, "expired", expirationSeconds=600)
    assert answer(target, token)[0] == 403
    target.advance(700)
    assert answer(target, token) == (401, UNAUTHORIZED)


def test_a_token_for_others_is_unauthorized(target: Server, admin: httpx.Client) -> None:
    assert answer(target, issued(admin, "elsewhere", audiences=["https://bank.example"])) == (401, UNAUTHORIZED)


def test_the_token_of_a_deleted_account_is_unauthorized(target: Server, admin: httpx.Client) -> None:
    token = issued(admin, "gone")
    admin.delete(f"{ACCOUNTS}/gone").raise_for_status()
    admin.post(ACCOUNTS, json={"metadata": {"name": "gone"}}).raise_for_status()
    assert answer(target, token) == (401, UNAUTHORIZED)


def test_a_token_in_the_address_counts_for_nothing(target: Server) -> None:
    path = "/api/v1/namespaces/vault/secrets/gold?access_token=root&token=root&authorization=Bearer+root"
    assert httpx.get(target.url + path, trust_env=False).status_code == 403


def test_no_log_has_a_secret(target: Server, admin: httpx.Client, caplog: pytest.LogCaptureFixture) -> None:
    token = issued(admin, "logged")
    for value in (f"Bearer {token}", "Bearer guessed-secret", "Basic Z3Vlc3NlZA=="):
        httpx.get(f"{target.url}/api/v1/pods", headers={"Authorization": value}, trust_env=False)
    written = admin.get("/memkube/v1/requests").text + caplog.text
    assert not any(secret in written for secret in (token, token.split(".")[2], "guessed-secret", "Z3Vlc3NlZA"))
