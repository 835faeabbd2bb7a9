from pathlib import Path
from typing import Any

import jwt
import pytest

from memkube.apis.authentication.v1.tokens.options import TokenOptions
from tests.apis.authentication.v1.tokens.conftest import Cluster, cluster_with, new_key

pytestmark = pytest.mark.anyio

EXTRA = "authentication.kubernetes.io"
INVALIDATED = "service account token has been invalidated"


def bound_to(kind: str, name: str) -> dict[str, Any]:
    return {"boundObjectRef": {"apiVersion": "v1", "kind": kind, "name": name}}


async def error(cluster: Cluster, token: str) -> str:
    status = await cluster.review(token)
    assert status.keys() == {"user", "error"}
    said: str = status["error"]
    return said.removeprefix("[invalid bearer token, ").removesuffix("]")


async def a_token_of(cluster: Cluster, kind: str) -> str:
    """Return a token that is bound to a new object of this kind."""
    fields: dict[str, Any] = {"metadata": {"name": "it"}}
    if kind == "Pod":
        fields["spec"] = {"serviceAccountName": "robot", "containers": [{"name": "c", "image": "i"}]}
    await cluster.create(f"{kind.lower()}s", **fields)
    return await cluster.token(**bound_to(kind, "it"))


async def test_a_token_is_good_for_a_minute_more_than_it_says(cluster: Cluster) -> None:
    token = await cluster.token(expirationSeconds=600)
    await cluster.clock.advance(660)
    assert (await cluster.review(token))["authenticated"]
    await cluster.clock.advance(1)
    assert await error(cluster, token) == "service account token has expired"


@pytest.mark.parametrize("kind", ["Pod", "Secret", "Node"])
async def test_a_token_goes_with_what_it_is_bound_to(cluster: Cluster, kind: str) -> None:
    token = await a_token_of(cluster, kind)
    assert (await cluster.review(token))["authenticated"]
    await cluster.delete(f"{kind.lower()}s", "it")
    assert await error(cluster, token) == INVALIDATED


@pytest.mark.parametrize("kind", ["Pod", "Secret", "Node"])
async def test_a_successor_of_the_same_name_does_not_do(cluster: Cluster, kind: str) -> None:
    token = await a_token_of(cluster, kind)
    await cluster.delete(f"{kind.lower()}s", "it")
    await a_token_of(cluster, kind)
    name = kind.lower()
    said = await error(cluster, token)
    assert said.startswith(f"{name} UID (")
    assert f") does not match service account {name} ref claim (" in said


async def test_nor_does_a_successor_of_the_account(cluster: Cluster) -> None:
    token = await cluster.token()
    await cluster.delete("serviceaccounts", "robot")
    assert await error(cluster, token) == 'serviceaccounts "robot" not found'
    await cluster.create("serviceaccounts", metadata={"name": "robot"})
    assert (await error(cluster, token)).startswith("service account UID (")


async def test_what_waits_for_its_removal_counts_for_a_minute(cluster: Cluster) -> None:
    await cluster.create("secrets", metadata={"name": "it", "finalizers": ["example.com/wait"]})
    token = await cluster.token(**bound_to("Secret", "it"))
    await cluster.delete("secrets", "it")
    await cluster.clock.advance(60)
    assert (await cluster.review(token))["authenticated"]
    await cluster.clock.advance(1)
    assert await error(cluster, token) == INVALIDATED


async def test_a_review_tells_the_pod_and_the_node_of_a_token(cluster: Cluster) -> None:
    node = await cluster.create("nodes", metadata={"name": "n1"})
    spec = {"serviceAccountName": "robot", "nodeName": "n1", "containers": [{"name": "c", "image": "i"}]}
    pod = await cluster.create("pods", metadata={"name": "web"}, spec=spec)
    token = await cluster.token(**bound_to("Pod", "web"))
    assert (await cluster.review(token))["user"]["extra"] == {
        f"{EXTRA}/credential-id": [f"JTI={jwt.decode(token, options={'verify_signature': False})['jti']}"],
        f"{EXTRA}/node-name": ["n1"],
        f"{EXTRA}/node-uid": [node["uid"]],
        f"{EXTRA}/pod-name": ["web"],
        f"{EXTRA}/pod-uid": [pod["uid"]],
    }


async def test_audiences_are_answered_as_they_were_asked_for(cluster: Cluster) -> None:
    token = await cluster.token(audiences=["a", "b", "c"])
    assert (await cluster.review(token, "c", "x", "a"))["audiences"] == ["c", "a"]


async def test_a_changed_token_is_refused(cluster: Cluster) -> None:
    header, _, signature = (await cluster.token()).split(".")
    _, payload, _ = (await cluster.token(audiences=["other"])).split(".")
    said = await error(cluster, f"{header}.{payload}.{signature}")
    assert said == "go-jose/go-jose: error in cryptographic primitive"


async def test_a_token_of_another_key_is_refused(cluster: Cluster) -> None:
    claims = jwt.decode(await cluster.token(), options={"verify_signature": False})
    forged = jwt.encode(claims, new_key(), "ES256", {"kid": "mine"})
    assert await error(cluster, forged) == "invalid signature, no keys found"


async def test_a_token_of_another_issuer_is_none(cluster: Cluster, key_file: Path) -> None:
    other = await cluster_with(TokenOptions(signing_key_file=key_file, issuers=("https://other.example",)))
    assert await error(cluster, await other.token()) == "invalid bearer token"


async def test_all_named_issuers_are_believed(key_file: Path) -> None:
    old = await cluster_with(TokenOptions(signing_key_file=key_file, issuers=("https://old.example",)))
    options = TokenOptions(
        signing_key_file=key_file,
        issuers=("https://new.example", "https://old.example"),
        api_audiences=("https://old.example",),
    )
    new = await cluster_with(options)
    # The token has a trusted issuer, but names the uid of a service account of another cluster.
    assert (await error(new, await old.token())).startswith("service account UID (")


@pytest.mark.parametrize("token", ["x", "a.b", "a.b.c", "{}.{}.{}", "e30.e30.e30", "a.e30=.c"])
async def test_what_is_no_token_is_nobodys(cluster: Cluster, token: str) -> None:
    assert await cluster.review(token) == {"user": {}, "error": "invalid bearer token"}


async def test_a_token_of_blanks_has_no_user_if_credentials_are_required(cluster: Cluster) -> None:
    cluster.registry.kind_services.accepts_anonymous = False
    assert await cluster.review(" x", "mine") == {"user": {}}


async def test_who_shows_blanks_is_anonymous(cluster: Cluster) -> None:
    status = await cluster.review(" x", "mine")
    anonymous = {"username": "system:anonymous", "groups": ["system:unauthenticated"]}
    assert status == {"authenticated": True, "user": anonymous, "audiences": ["mine"]}
