from pathlib import Path
from typing import Any

import jwt
import pytest

from memkube.apimachinery.errors import ApiError
from memkube.apis.authentication.v1.tokens.authentication import authenticate
from memkube.apis.authentication.v1.tokens.options import TokenOptions
from memkube.registry.declarations.request_options import WriteContext
from tests.apis.authentication.v1.tokens.conftest import Cluster, cluster_with

pytestmark = pytest.mark.anyio

INVALID = 'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds'
INJECTED = 3607
YEAR = 365 * 24 * 60 * 60


def claims_of(token: str) -> dict[str, Any]:
    claims: dict[str, Any] = jwt.decode(token, options={"verify_signature": False})
    return claims


def bound_to(kind: str, name: str) -> dict[str, str]:
    return {"apiVersion": "v1", "kind": kind, "name": name}


async def a_pod(cluster: Cluster, node: str = "") -> str:
    spec = {"serviceAccountName": "robot", "nodeName": node, "containers": [{"name": "c", "image": "i"}]}
    uid: str = (await cluster.create("pods", metadata={"name": "web"}, spec=spec))["uid"]
    return uid


async def test_a_token_says_whose_it_is_and_for_how_long(cluster: Cluster) -> None:
    claims = claims_of(await cluster.token(expirationSeconds=600))
    now = int(cluster.clock.now().timestamp())
    assert claims["sub"] == "system:serviceaccount:default:robot"
    assert (claims["iat"], claims["nbf"], claims["exp"]) == (now, now, now + 600)
    assert claims["iss"] == "https://kubernetes.default.svc.cluster.local"
    assert claims["aud"] == [claims["iss"]]


async def test_no_two_tokens_have_the_same_id(cluster: Cluster) -> None:
    assert claims_of(await cluster.token())["jti"] != claims_of(await cluster.token())["jti"]


async def test_the_header_tells_the_algorithm_and_the_key(cluster: Cluster) -> None:
    assert jwt.get_unverified_header(await cluster.token()).keys() == {"alg", "kid"}


async def test_a_token_of_a_pod_names_the_pod_and_its_node(cluster: Cluster) -> None:
    node = (await cluster.create("nodes", metadata={"name": "n1"}))["uid"]
    pod = await a_pod(cluster, "n1")
    private = claims_of(await cluster.token(boundObjectRef=bound_to("Pod", "web")))["kubernetes.io"]
    assert private["pod"] == {"name": "web", "uid": pod}
    assert private["node"] == {"name": "n1", "uid": node}


async def test_of_a_node_that_is_gone_the_name_is_left(cluster: Cluster) -> None:
    await a_pod(cluster, "gone")
    claims = claims_of(await cluster.token(boundObjectRef=bound_to("Pod", "web")))
    assert claims["kubernetes.io"]["node"] == {"name": "gone"}


async def test_the_token_of_an_injected_volume_outlives_what_was_asked_for(cluster: Cluster) -> None:
    await a_pod(cluster)
    spec = {"boundObjectRef": bound_to("Pod", "web"), "expirationSeconds": INJECTED}
    answer = await cluster.request(spec=spec)
    claims = claims_of(answer["status"]["token"])
    assert claims["exp"] - claims["iat"] == YEAR
    assert claims["kubernetes.io"]["warnafter"] - claims["iat"] == INJECTED
    assert answer["spec"]["expirationSeconds"] == INJECTED


@pytest.mark.parametrize(
    "spec",
    [
        {"expirationSeconds": INJECTED},
        {"expirationSeconds": INJECTED, "boundObjectRef": bound_to("Pod", "web"), "audiences": ["vault"]},
        {"expirationSeconds": INJECTED - 1, "boundObjectRef": bound_to("Pod", "web")},
    ],
)
async def test_no_other_token_does(cluster: Cluster, spec: dict[str, Any]) -> None:
    await a_pod(cluster)
    claims = claims_of(await cluster.token(**spec))
    assert claims["exp"] - claims["iat"] == spec["expirationSeconds"]
    assert "warnafter" not in claims["kubernetes.io"]


async def test_nor_does_it_where_the_server_is_told_so(key_file: Path) -> None:
    cluster = await cluster_with(TokenOptions(signing_key_file=key_file, extend_expiration=False))
    await a_pod(cluster)
    claims = claims_of(await cluster.token(boundObjectRef=bound_to("Pod", "web"), expirationSeconds=INJECTED))
    assert claims["exp"] - claims["iat"] == INJECTED


async def test_a_long_life_is_shortened_with_a_warning(key_file: Path) -> None:
    cluster = await cluster_with(TokenOptions(signing_key_file=key_file, max_expiration=7200))
    context = WriteContext("default")
    answer = await cluster.request(context, spec={"expirationSeconds": 9000})
    assert answer["spec"]["expirationSeconds"] == 7200
    assert context.warnings == ["requested expiration of 9000 seconds shortened to 7200 seconds"]


@pytest.mark.parametrize("seconds", [600, 2**32])
async def test_the_ends_of_the_allowed_span_are_allowed(cluster: Cluster, seconds: int) -> None:
    assert claims_of(await cluster.token(expirationSeconds=seconds))["exp"]


@pytest.mark.parametrize(
    ("fields", "code", "message"),
    [
        (
            {"spec": {"expirationSeconds": 2**32 + 1}},
            422,
            f"{INVALID}: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds",
        ),
        ({"spec": {"boundObjectRef": bound_to("Pod", "")}}, 400, "Name parameter required."),
        (
            {"spec": {"boundObjectRef": {"apiVersion": "apps/v1", "kind": "Pod", "name": "web"}}},
            400,
            "cannot bind token to object of type apps/v1, Kind=Pod",
        ),
    ],
)
async def test_what_cannot_be_is_refused(cluster: Cluster, fields: dict[str, Any], code: int, message: str) -> None:
    with pytest.raises(ApiError) as refusal:
        await cluster.request(**fields)
    assert (refusal.value.code, refusal.value.message) == (code, message)


async def test_a_token_is_not_bound_to_the_pod_of_another(cluster: Cluster) -> None:
    await cluster.create("pods", metadata={"name": "web"}, spec={"containers": [{"name": "c", "image": "i"}]})
    with pytest.raises(ApiError, match='serviceaccount "robot" to pod running with different serviceaccount name'):
        await cluster.token(boundObjectRef=bound_to("Pod", "web"))


async def test_the_uid_of_an_account_that_was_is_a_conflict(cluster: Cluster) -> None:
    with pytest.raises(ApiError, match=r"the UID in the token request \(old\) does not match") as refusal:
        await cluster.request(metadata={"uid": "old"})
    assert refusal.value.code == 409


async def test_the_client_owns_the_empty_audiences_that_it_sends(cluster: Cluster) -> None:
    answer = await cluster.request(spec={"audiences": []})
    (entry,) = answer["metadata"]["managedFields"]
    assert entry["fieldsV1"] == {"f:spec": {"f:audiences": {}, "f:expirationSeconds": {}}}


async def test_a_token_that_its_pod_should_have_renewed_is_an_audit_annotation(cluster: Cluster) -> None:
    await a_pod(cluster)
    token = await cluster.token(boundObjectRef=bound_to("Pod", "web"), expirationSeconds=INJECTED)
    await cluster.clock.advance(INJECTED + 5)
    issuer = cluster.registry.kind_services.token_issuer.options.issuers[0]
    found = await authenticate(cluster.registry, token, [issuer])
    text = "subject: system:serviceaccount:default:robot, seconds after warning threshold: 5"
    assert found.annotations == {"authentication.k8s.io/stale-token": text}
