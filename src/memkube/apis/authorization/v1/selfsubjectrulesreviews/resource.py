"""SelfSubjectRulesReviews: what may I do in this namespace? Asked by POST, never stored."""

from memkube.apimachinery.errors import bad_request
from memkube.apis.authorization.v1.answers import GROUP, VERSION
from memkube.apis.authorization.v1.selfsubjectrulesreviews.types import (
    NonResourceRule,
    ResourceRule,
    SelfSubjectRulesReview,
    SubjectRulesReviewStatus,
)
from memkube.registry.connect import Created
from memkube.registry.context import WriteContext
from memkube.registry.registry import Registry
from memkube.registry.review import review_resource


async def review(registry: Registry, name: str, obj: SelfSubjectRulesReview, context: WriteContext) -> Created:
    """Answers a question with an object of its own: everything is allowed. Raises ApiError 400."""
    if not obj.spec.namespace:
        raise bad_request("no namespace on request")
    answer = SelfSubjectRulesReview(kind=obj.kind, apiVersion=obj.apiVersion)
    answer.status = SubjectRulesReviewStatus(
        resourceRules=[ResourceRule(verbs=["*"], apiGroups=["*"], resources=["*"])],
        nonResourceRules=[NonResourceRule(verbs=["*"], nonResourceURLs=["*"])],
    )
    return Created(answer.to_document())


RESOURCE = review_resource(
    group=GROUP,
    version=VERSION,
    plural="selfsubjectrulesreviews",
    model=SelfSubjectRulesReview,
    review=review,
    namespaced=False,
)
