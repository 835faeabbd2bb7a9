"""Answering questions about permissions: this server asks nobody for any, so everything is allowed.

Sources: ``pkg/registry/authorization`` and apiserver's ``authorizerfactory`` (the authorizer AlwaysAllow).
"""

from collections.abc import Sequence
from typing import Final

from memkube.apimachinery.errors import bad_request, invalid
from memkube.apimachinery.field_errors import FieldError
from memkube.apis.authorization.v1.localsubjectaccessreviews.types import LocalSubjectAccessReview
from memkube.apis.authorization.v1.selectors import misunderstandings
from memkube.apis.authorization.v1.selfsubjectaccessreviews.types import SelfSubjectAccessReview
from memkube.apis.authorization.v1.selfsubjectrulesreviews.types import (
    NonResourceRule,
    ResourceRule,
    SelfSubjectRulesReview,
    SubjectRulesReviewStatus,
)
from memkube.apis.authorization.v1.subjectaccessreviews.types import SubjectAccessReview
from memkube.apis.authorization.v1.types import ResourceAttributes, SubjectAccessReviewStatus
from memkube.apis.authorization.v1.validation import (
    validate_local_question,
    validate_no_metadata,
    validate_own_question,
    validate_question,
)
from memkube.registry.interface import Created, Stores
from memkube.registry.requests import WriteContext

_GROUP: Final = "authorization.k8s.io"


async def local_review(stores: Stores, name: str, obj: LocalSubjectAccessReview, context: WriteContext) -> Created:
    """May somebody do this in one namespace? Raises ApiError 422."""
    errors = validate_question(obj.spec) + validate_no_metadata(obj.metadata, namespaced=True)
    _check(errors + validate_local_question(obj.spec, obj.metadata.namespace))
    obj.status = _allowed(obj.spec.resourceAttributes)
    return Created(obj.to_document())


async def review(stores: Stores, name: str, obj: SubjectAccessReview, context: WriteContext) -> Created:
    """May somebody do this? Raises ApiError 422."""
    _check(validate_question(obj.spec) + validate_no_metadata(obj.metadata))
    obj.status = _allowed(obj.spec.resourceAttributes)
    return Created(obj.to_document())


async def self_review(stores: Stores, name: str, obj: SelfSubjectAccessReview, context: WriteContext) -> Created:
    """May I do this? Raises ApiError 422."""
    spec = obj.spec
    _check(
        validate_own_question(spec.resourceAttributes, spec.nonResourceAttributes) + validate_no_metadata(obj.metadata)
    )
    obj.status = _allowed(spec.resourceAttributes)
    return Created(obj.to_document())


async def rules_review(stores: Stores, name: str, obj: SelfSubjectRulesReview, context: WriteContext) -> Created:
    """What may I do in this namespace? Answers with an object of its own: everything. Raises ApiError 400."""
    if not obj.spec.namespace:
        raise bad_request("no namespace on request")
    answer = SelfSubjectRulesReview(kind=obj.kind, apiVersion=obj.apiVersion)
    answer.status = SubjectRulesReviewStatus(
        resourceRules=[ResourceRule(verbs=["*"], apiGroups=["*"], resources=["*"])],
        nonResourceRules=[NonResourceRule(verbs=["*"], nonResourceURLs=["*"])],
    )
    return Created(answer.to_document())


def _check(errors: Sequence[FieldError]) -> None:
    """Raises ApiError 422, which names no kind here."""
    if errors:
        raise invalid(_GROUP, "", "", errors)


def _allowed(attributes: ResourceAttributes | None) -> SubjectAccessReviewStatus:
    """The answer to a question about a request for a resource, or for something else."""
    misunderstood = misunderstandings(attributes) if attributes else ""
    return SubjectAccessReviewStatus(allowed=True, evaluationError=misunderstood)
