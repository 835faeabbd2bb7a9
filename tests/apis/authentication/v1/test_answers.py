import httpx
import pytest

from memkube.apis.authentication.v1.answers import review
from memkube.apis.authentication.v1.types import SelfSubjectReview
from memkube.registry.declarations.request_options import User, WriteContext
from memkube.server.app import create_core
from memkube.server.settings import Settings

ADDRESS = "/apis/authentication.k8s.io/v1/selfsubjectreviews"


def test_a_client_that_nobody_has_checked_is_anonymous(client: httpx.Client) -> None:
    answer = client.post(
        ADDRESS, json={"metadata": {"name": "x"}, "status": {"userInfo": {"username": "admin"}}}
    ).json()
    assert answer["metadata"].keys() == {"creationTimestamp"}
    assert answer["status"] == {"userInfo": {"username": "system:anonymous", "groups": ["system:unauthenticated"]}}


@pytest.mark.anyio
async def test_a_client_that_is_known_is_told_all_that_is_known_of_it() -> None:
    asked = SelfSubjectReview(kind="SelfSubjectReview", apiVersion="authentication.k8s.io/v1")
    user = User("alice", "7", ("developers",), {"scopes": ("read", "write")})
    created = await review(create_core(Settings()).parts.registry, "", asked, WriteContext(user=user))
    known = {"username": "alice", "uid": "7", "groups": ["developers"], "extra": {"scopes": ["read", "write"]}}
    assert created.document["status"] == {"userInfo": known}


@pytest.mark.parametrize(
    ("kind", "code", "answered"),
    [("PartialObjectMetadata", 201, "PartialObjectMetadata"), ("PartialObjectMetadataList", 406, "Status")],
)
def test_a_review_is_converted_to_the_kind_that_the_client_accepts(
    client: httpx.Client, kind: str, code: int, answered: str
) -> None:
    accept = f"application/json;as={kind};g=meta.k8s.io;v=v1"
    answer = client.post(ADDRESS, json={}, headers={"accept": accept})
    assert (answer.status_code, answer.json()["kind"]) == (code, answered)
