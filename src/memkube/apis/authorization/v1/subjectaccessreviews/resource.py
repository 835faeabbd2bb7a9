"""SubjectAccessReviews: may somebody do this? Asked by POST, never stored."""

from typing import Final

from memkube.apis.authorization.v1.answers import GROUP, VERSION, allowed, check_question, take_question
from memkube.apis.authorization.v1.subjectaccessreviews.types import SubjectAccessReview
from memkube.apis.authorization.v1.validation import validate_no_metadata, validate_question
from memkube.registry.connect import Created
from memkube.registry.context import WriteContext
from memkube.registry.registry import Registry
from memkube.registry.review import review_resource

_PLURAL: Final = "subjectaccessreviews"


async def review(registry: Registry, name: str, obj: SubjectAccessReview, context: WriteContext) -> Created:
    """Answers a question. Raises ApiError 422."""
    take_question(registry, _PLURAL, obj, context)
    check_question(validate_question(obj.spec) + validate_no_metadata(obj.metadata))
    obj.status = allowed(obj.spec.resourceAttributes)
    return Created(obj.to_document())


RESOURCE = review_resource(
    group=GROUP,
    version=VERSION,
    plural=_PLURAL,
    model=SubjectAccessReview,
    review=review,
    namespaced=False,
)
