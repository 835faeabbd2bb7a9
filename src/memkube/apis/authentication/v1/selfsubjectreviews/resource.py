"""SelfSubjectReviews: who am I? Asked by POST, never stored."""

from memkube.apis.authentication.v1.selfsubjectreviews.types import SelfSubjectReview
from memkube.apis.authentication.v1.types import UserInfo
from memkube.registry.clock import written_now
from memkube.registry.connect import Created
from memkube.registry.context import WriteContext
from memkube.registry.registry import Registry
from memkube.registry.review import review_resource


async def review(registry: Registry, name: str, obj: SelfSubjectReview, context: WriteContext) -> Created:
    """Answers with an object of its own."""
    answer = SelfSubjectReview(kind=obj.kind, apiVersion=obj.apiVersion)
    answer.metadata.creationTimestamp = written_now(registry.backend.clock)
    user = context.user
    answer.status.userInfo = UserInfo(
        username=user.name,
        uid=user.uid,
        groups=list(user.groups),
        extra={key: list(values) for key, values in user.extra.items()},
    )
    return Created(answer.to_document())


RESOURCE = review_resource(
    group="authentication.k8s.io",
    version="v1",
    plural="selfsubjectreviews",
    model=SelfSubjectReview,
    review=review,
    namespaced=False,
)
