import httpx
import pytest

from memkube.apis.authentication.v1.selfsubjectreviews.answer import review
from memkube.apis.authentication.v1.selfsubjectreviews.types import SelfSubjectReview
from memkube.app import create_registry
from memkube.registry.context import WriteContext
from memkube.settings import Settings

ADDRESS = "/apis/authentication.k8s.io/v1/selfsubjectreviews"


def test_a_client_that_nobody_has_checked_is_anonymous(client: httpx.Client) -> None:
    answer = client.post(
        ADDRESS, json={"metadata": {"name": "x"}, "status": {"userInfo": {"username": "admin"}}}
    ).json()
    assert answer["metadata"].keys() == {"creationTimestamp"}
    assert answer["status"] == {"userInfo": {"username": "system:anonymous", "groups": ["system:unauthenticated"]}}


@pytest.mark.anyio
async def test_a_client_that_is_known_is_told_its_name() -> None:
    asked = SelfSubjectReview(kind="SelfSubjectReview", apiVersion="authentication.k8s.io/v1")
    created = await review(create_registry(Settings()), "", asked, WriteContext(user="alice"))
    assert created.document["status"] == {"userInfo": {"username": "alice", "groups": ["system:authenticated"]}}
