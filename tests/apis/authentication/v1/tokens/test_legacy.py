"""TokenReviews of tokens that are stored in Secrets."""

from base64 import b64encode
from typing import Any

import pytest

from memkube.apimachinery.model import Document
from memkube.apis.authentication.v1.answers import review_token
from memkube.apis.authentication.v1.tokens.authentication import authenticate
from memkube.apis.authentication.v1.tokens.legacy import INVALID_SINCE, LAST_USED, LEGACY_ISSUER, legacy_claims
from memkube.apis.authentication.v1.types import TokenReview
from memkube.registry.declarations.request_options import WriteContext
from tests.apis.authentication.v1.tokens.conftest import Cluster

pytestmark = pytest.mark.anyio
ISSUER = "https://kubernetes.default.svc.cluster.local"


async def token_in_secret(cluster: Cluster, **metadata: Any) -> str:
    """Create the Secret `tok` with a token of the service account, and return the token."""
    annotations = {"kubernetes.io/service-account.name": "robot"}
    kind = "kubernetes.io/service-account-token"
    await cluster.create("secrets", metadata={"name": "tok", "annotations": annotations, **metadata}, type=kind)
    account = await cluster.registry.find("", "v1", "serviceaccounts").get("default", "robot")
    secret = await cluster.registry.find("", "v1", "secrets").get("default", "tok")
    token = await cluster.registry.kind_services.token_issuer.signed(legacy_claims(account, secret))
    await change(cluster, "secrets", "tok", data={"token": b64encode(token.encode()).decode()})
    return token


async def change(cluster: Cluster, plural: str, name: str, **fields: Any) -> None:
    """Set top-level fields of a stored object."""
    store = cluster.registry.find("", "v1", plural)

    def set_fields(obj: Any) -> None:
        changed = type(obj).from_document({**obj.to_document(), **fields})
        for field in fields:
            setattr(obj, field, getattr(changed, field))

    await store.update(name, set_fields, WriteContext("default"))


async def error(cluster: Cluster, token: str) -> str:
    said: str = (await cluster.review(token))["error"]
    return said.removeprefix("[invalid bearer token, ").removesuffix("]")


async def labels(cluster: Cluster) -> Document:
    stored = await cluster.registry.find("", "v1", "secrets").get("default", "tok")
    return dict(stored.labels)


async def test_a_token_in_a_secret_is_that_of_its_account(cluster: Cluster) -> None:
    status = await cluster.review(await token_in_secret(cluster))
    assert status["authenticated"]
    assert status["audiences"] == [ISSUER]
    assert status["user"]["username"] == "system:serviceaccount:default:robot"
    assert "system:serviceaccounts:default" in status["user"]["groups"]
    assert "extra" not in status["user"]


async def test_it_has_the_audiences_of_the_server_only(cluster: Cluster) -> None:
    token = await token_in_secret(cluster)
    said = (await cluster.review(token, "vault"))["error"]
    assert said == f'[invalid bearer token, token audiences ["{ISSUER}"] is invalid for the target audiences ["vault"]]'


async def test_its_use_is_recorded_once_a_day(cluster: Cluster) -> None:
    token = await token_in_secret(cluster)
    await cluster.review(token)
    first = await labels(cluster)
    assert first == {LAST_USED: cluster.clock.now().date().isoformat()}
    await cluster.clock.advance(86400)
    await cluster.review(token)
    assert (await labels(cluster))[LAST_USED] == cluster.clock.now().date().isoformat() != first[LAST_USED]


async def test_it_does_not_expire(cluster: Cluster) -> None:
    token = await token_in_secret(cluster)
    await cluster.clock.advance(10 * 365 * 86400)
    assert (await cluster.review(token))["authenticated"]


async def test_it_goes_with_its_secret(cluster: Cluster) -> None:
    token = await token_in_secret(cluster)
    await cluster.delete("secrets", "tok")
    assert await error(cluster, token) == "Token has been invalidated"


async def test_it_must_be_the_one_in_the_secret(cluster: Cluster) -> None:
    token = await token_in_secret(cluster)
    await change(cluster, "secrets", "tok", data={"token": "b3RoZXI="})
    assert await error(cluster, token) == "Token does not match server's copy"


async def test_it_goes_with_its_account(cluster: Cluster) -> None:
    token = await token_in_secret(cluster)
    await cluster.delete("serviceaccounts", "robot")
    assert await error(cluster, token) == 'serviceaccounts "robot" not found'
    await cluster.create("serviceaccounts", metadata={"name": "robot"})
    assert (await error(cluster, token)).startswith("ServiceAccount UID (")


async def test_one_that_is_marked_as_invalid_is_refused(cluster: Cluster) -> None:
    token = await token_in_secret(cluster, labels={INVALID_SINCE: "2026-01-01"})
    said = await error(cluster, token)
    assert said.startswith("the token in secret default/tok for service account default/robot has been marked invalid.")
    assert LAST_USED in await labels(cluster)


@pytest.mark.parametrize(("listed", "count"), [(["tok"], 1), (["other"], 0)])
async def test_one_that_the_account_lists_is_accepted_with_a_warning(
    cluster: Cluster, listed: list[str], count: int
) -> None:
    token = await token_in_secret(cluster)
    await change(cluster, "serviceaccounts", "robot", secrets=[{"name": name} for name in listed])
    context = WriteContext()
    review = TokenReview.from_document({"spec": {"token": token}})
    answer = await review_token(cluster.registry, "", review, context)
    assert answer.document["status"]["authenticated"]
    assert len(context.warnings) == count


@pytest.mark.parametrize(
    ("missing", "problem"),
    [
        ("sub", "sub claim is missing"),
        ("kubernetes.io/serviceaccount/secret.name", "secretName claim is missing"),
        ("kubernetes.io/serviceaccount/service-account.uid", "serviceAccountUID claim is missing"),
    ],
)
async def test_all_claims_are_needed(cluster: Cluster, missing: str, problem: str) -> None:
    account = await cluster.registry.find("", "v1", "serviceaccounts").get("default", "robot")
    claims = {name: value for name, value in legacy_claims(account, account).items() if name != missing}
    assert claims["iss"] == LEGACY_ISSUER
    assert await error(cluster, await cluster.registry.kind_services.token_issuer.signed(claims)) == problem


@pytest.mark.parametrize("is_listed", [True, False])
async def test_its_origin_is_an_audit_annotation(cluster: Cluster, is_listed: bool) -> None:
    token = await token_in_secret(cluster)
    if is_listed:
        await change(cluster, "serviceaccounts", "robot", secrets=[{"name": "tok"}])
    found = await authenticate(cluster.registry, token, [ISSUER])
    origin = "autogenerated" if is_listed else "manual"
    assert found.annotations == {
        "authentication.k8s.io/legacy-token": "system:serviceaccount:default:robot",
        f"authentication.k8s.io/legacy-token-{origin}-secret": "tok",
    }
