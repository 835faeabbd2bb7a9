"""Who asks, as the server sees it."""

from memkube.apis.authentication.v1.types import SelfSubjectReview, UserInfo
from memkube.registry.clock import written_now
from memkube.registry.interface import Created, Stores
from memkube.registry.requests import WriteContext


async def review(stores: Stores, name: str, obj: SelfSubjectReview, context: WriteContext) -> Created:
    """Answers with an object of its own."""
    answer = SelfSubjectReview(kind=obj.kind, apiVersion=obj.apiVersion)
    answer.metadata.creationTimestamp = written_now(stores.clock)
    user = context.user
    answer.status.userInfo = UserInfo(
        username=user.name,
        uid=user.uid,
        groups=list(user.groups),
        extra={key: list(values) for key, values in user.extra.items()},
    )
    return Created(answer.to_document())
