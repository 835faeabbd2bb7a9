"""Who asks, as the server sees it."""

from typing import Final

from memkube.apis.authentication.v1.selfsubjectreviews.types import SelfSubjectReview
from memkube.apis.authentication.v1.types import UserInfo
from memkube.registry.clock import written_now
from memkube.registry.context import WriteContext
from memkube.registry.interface import Created, Stores

_ANONYMOUS: Final = "system:anonymous"
_UNAUTHENTICATED: Final = "system:unauthenticated"
_AUTHENTICATED: Final = "system:authenticated"


async def review(stores: Stores, name: str, obj: SelfSubjectReview, context: WriteContext) -> Created:
    """Answers with an object of its own. A client whose name nobody has checked is anonymous."""
    answer = SelfSubjectReview(kind=obj.kind, apiVersion=obj.apiVersion)
    answer.metadata.creationTimestamp = written_now(stores.clock)
    answer.status.userInfo = UserInfo(
        username=context.user or _ANONYMOUS, groups=[_AUTHENTICATED if context.user else _UNAUTHENTICATED]
    )
    return Created(answer.to_document())
