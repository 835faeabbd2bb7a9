"""SelfSubjectAccessReviews: may I do this? Asked by POST, never stored."""

from typing import Final

from memkube.apis.authorization.v1.answers import GROUP, VERSION, allowed, check_question, take_question
from memkube.apis.authorization.v1.selfsubjectaccessreviews.types import SelfSubjectAccessReview
from memkube.apis.authorization.v1.validation import validate_no_metadata, validate_own_question
from memkube.registry.connect import Created
from memkube.registry.context import WriteContext
from memkube.registry.registry import Registry
from memkube.registry.resource import Resource
from memkube.registry.strategy import Strategy
from memkube.registry.table import NAME_AND_AGE

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


RESOURCE = Resource(
    group=GROUP,
    version=VERSION,
    kind="SelfSubjectAccessReview",
    plural=_PLURAL,
    singular="selfsubjectaccessreview",
    namespaced=False,
    verbs=("create",),
    model=SelfSubjectAccessReview,
    strategy=Strategy[SelfSubjectAccessReview](),
    printer=NAME_AND_AGE,
    create=review,
)
