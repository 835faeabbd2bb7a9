"""SelfSubjectAccessReviews: may I do this? Asked by POST, never stored."""

from typing import Final

from memkube.apis.authorization.v1.answers import GROUP, VERSION, allowed, check_question, take_question
from memkube.apis.authorization.v1.selfsubjectaccessreviews.types import SelfSubjectAccessReview
from memkube.apis.authorization.v1.validation import validate_no_metadata, validate_own_question
from memkube.registry.connect import Created
from memkube.registry.context import WriteContext
from memkube.registry.registry import Registry
from memkube.registry.review import review_resource

_PLURAL: Final = "selfsubjectaccessreviews"


async def review(registry: Registry, name: str, obj: SelfSubjectAccessReview, context: WriteContext) -> Created:
    """Answers a question. Raises ApiError 422."""
    take_question(registry, _PLURAL, obj, context)
    spec = obj.spec
    check_question(
        validate_own_question(spec.resourceAttributes, spec.nonResourceAttributes) + validate_no_metadata(obj.metadata)
    )
    obj.status = allowed(spec.resourceAttributes)
    return Created(obj.to_document())


RESOURCE = review_resource(
    group=GROUP,
    version=VERSION,
    plural=_PLURAL,
    model=SelfSubjectAccessReview,
    review=review,
    namespaced=False,
)
