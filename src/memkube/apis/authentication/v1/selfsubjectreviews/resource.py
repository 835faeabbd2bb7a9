"""SelfSubjectReviews: who am I? Asked by POST, never stored."""

from typing import Final

from memkube.apis.authentication.v1.selfsubjectreviews.types import SelfSubjectReview, UserInfo
from memkube.registry.clock import written_now
from memkube.registry.connect import Created
from memkube.registry.context import WriteContext
from memkube.registry.registry import Registry
from memkube.registry.review import review_resource

_ANONYMOUS: Final = "system:anonymous"
_UNAUTHENTICATED: Final = "system:unauthenticated"
_AUTHENTICATED: Final = "system:authenticated"


async def review(registry: Registry, name: str, obj: SelfSubjectReview, context: WriteContext) -> Created:
    """Answers with an object of its own. A client whose name nobody has checked is anonymous."""
    answer = SelfSubjectReview(kind=obj.kind, apiVersion=obj.apiVersion)
    answer.metadata.creationTimestamp = written_now(registry.backend.clock)
    answer.status.userInfo = UserInfo(
        username=context.user or _ANONYMOUS, groups=[_AUTHENTICATED if context.user else _UNAUTHENTICATED]
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
