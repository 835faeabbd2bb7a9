"""Responses to access reviews, by the authorizer of the server.

Sources: ``pkg/registry/authorization``, ``pkg/apis/authorization/validation``.
"""

from collections.abc import Sequence
from typing import Final

from memkube.apimachinery.errors import bad_request
from memkube.apimachinery.errors import invalid as invalid_review
from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid
from memkube.apimachinery.meta.v1.api_object import ObjectMeta
from memkube.apimachinery.shown_values import InternalValue
from memkube.apis.authorization.v1.selectors import (
    ignored_selectors,
    parsed_field_selector,
    parsed_label_selector,
    validate_selectors,
)
from memkube.apis.authorization.v1.types import (
    LocalSubjectAccessReview,
    NonResourceAttributes,
    NonResourceRule,
    ResourceAttributes,
    ResourceRule,
    SelfSubjectAccessReview,
    SelfSubjectAccessReviewSpec,
    SelfSubjectRulesReview,
    SubjectAccessReview,
    SubjectAccessReviewSpec,
    SubjectAccessReviewStatus,
    SubjectRulesReviewStatus,
)
from memkube.registry.declarations.authorization import Attributes, Rule, Verdict
from memkube.registry.declarations.interface import Created, Stores
from memkube.registry.declarations.request_options import User, WriteContext

_GROUP: Final = "authorization.k8s.io"
_SPEC: Final = FieldPath("spec")
_RESOURCE: Final = _SPEC.child("resourceAttributes")
_NON_RESOURCE: Final = _SPEC.child("nonResourceAttributes")


async def local_review(stores: Stores, name: str, obj: LocalSubjectAccessReview, context: WriteContext) -> Created:
    """Return a LocalSubjectAccessReview with its result. Raises ApiError 422 if the review is invalid."""
    errors = validate_review(obj.spec) + validate_no_metadata(obj.metadata, namespaced=True)
    _check(errors + validate_local_review(obj.spec, obj.metadata.namespace))
    await context.validate_admission()
    obj.status = await _status(stores, _subject(obj.spec), obj.spec)
    return Created(obj.to_document())


async def review(stores: Stores, name: str, obj: SubjectAccessReview, context: WriteContext) -> Created:
    """Return a SubjectAccessReview with its result. Raises ApiError 422 if the review is invalid."""
    _check(validate_review(obj.spec) + validate_no_metadata(obj.metadata))
    await context.validate_admission()
    obj.status = await _status(stores, _subject(obj.spec), obj.spec)
    return Created(obj.to_document())


async def self_review(stores: Stores, name: str, obj: SelfSubjectAccessReview, context: WriteContext) -> Created:
    """Return a SelfSubjectAccessReview with its result. Raises ApiError 422 if the review is invalid."""
    spec = obj.spec
    _check(
        validate_self_review(spec.resourceAttributes, spec.nonResourceAttributes) + validate_no_metadata(obj.metadata)
    )
    await context.validate_admission()
    obj.status = await _status(stores, context.user, spec)
    return Created(obj.to_document())


async def rules_review(stores: Stores, name: str, obj: SelfSubjectRulesReview, context: WriteContext) -> Created:
    """Return a SelfSubjectRulesReview with its result. Raises ApiError 400 if the review has no namespace."""
    if not obj.spec.namespace:
        raise bad_request("no namespace on request")
    await context.validate_admission()
    answer = SelfSubjectRulesReview(kind=obj.kind, apiVersion=obj.apiVersion)
    found = stores.kind_services.authorizer.rules_for(context.user, obj.spec.namespace)
    answer.status = SubjectRulesReviewStatus(
        resourceRules=[_resource_rule(rule) for rule in found.rules if rule.resources],
        nonResourceRules=[
            NonResourceRule(verbs=list(rule.verbs), nonResourceURLs=list(rule.paths))
            for rule in found.rules
            if rule.paths
        ],
        incomplete=found.incomplete,
        evaluationError=found.error,
    )
    return Created(answer.to_document())


def _check(errors: Sequence[FieldError]) -> None:
    """Raise ApiError 422 if a review has validation errors. As in kube-apiserver, the error message has no kind."""
    if errors:
        raise invalid_review(_GROUP, "", "", errors)


def _resource_rule(rule: Rule) -> ResourceRule:
    return ResourceRule(
        verbs=list(rule.verbs),
        apiGroups=list(rule.groups),
        resources=list(rule.resources),
        resourceNames=list(rule.names),
    )


def _subject(spec: SubjectAccessReviewSpec) -> User:
    extra = {key: tuple(values) for key, values in spec.extra.items()}
    return User(spec.user, spec.uid, tuple(spec.groups), extra)


async def _status(
    stores: Stores, user: User, spec: SubjectAccessReviewSpec | SelfSubjectAccessReviewSpec
) -> SubjectAccessReviewStatus:
    """Ask the authorizer about the request that a review describes, and return the decision as the review's status."""
    resource, other = spec.resourceAttributes, spec.nonResourceAttributes
    if resource is not None:
        attributes, ignored = _resource_attributes(user, resource), ignored_selectors(resource)
    else:
        assert other is not None
        attributes, ignored = Attributes(user, other.verb, is_resource=False, path=other.path), ""
    decision = await stores.kind_services.authorizer.decide(attributes)
    return SubjectAccessReviewStatus(
        allowed=decision.allowed,
        denied=decision.verdict is Verdict.DENY,
        reason=decision.reason,
        evaluationError="; ".join(filter(None, (decision.error, ignored))),
    )


def _resource_attributes(user: User, asked: ResourceAttributes) -> Attributes:
    return Attributes(
        user,
        asked.verb,
        asked.namespace,
        asked.group,
        asked.version or "*",
        asked.resource,
        asked.subresource,
        asked.name,
        field_selector=parsed_field_selector(asked.fieldSelector),
        label_selector=parsed_label_selector(asked.labelSelector),
    )


def validate_self_review(
    resource: ResourceAttributes | None, non_resource: NonResourceAttributes | None
) -> list[FieldError]:
    """Validate a SelfSubjectAccessReview: it has either resource or non-resource attributes."""
    return _validate_choice(resource, non_resource) + _validate_selectors(resource)


def validate_review(spec: SubjectAccessReviewSpec) -> list[FieldError]:
    """Validate a SubjectAccessReview: it has a user or groups, and either resource or non-resource attributes."""
    errors = _validate_choice(spec.resourceAttributes, spec.nonResourceAttributes)
    if not spec.user and not spec.groups:
        errors.append(invalid(_SPEC.child("user"), "", "at least one of user or group must be specified"))
    return errors + _validate_selectors(spec.resourceAttributes)


def validate_local_review(spec: SubjectAccessReviewSpec, namespace: str) -> list[FieldError]:
    """Validate a LocalSubjectAccessReview: it has resource attributes in the review's own namespace."""
    errors: list[FieldError] = []
    resource, non_resource = spec.resourceAttributes, spec.nonResourceAttributes
    if resource is not None and resource.namespace != namespace:
        errors.append(invalid(_RESOURCE.child("namespace"), resource.namespace, "must match metadata.namespace"))
    if non_resource is not None:
        errors.append(invalid(_NON_RESOURCE, InternalValue(non_resource), "disallowed on this kind of request"))
    return errors


def validate_no_metadata(metadata: ObjectMeta, *, namespaced: bool = False) -> list[FieldError]:
    """Validate that a review has no metadata, apart from managed fields and, if `namespaced`, the namespace."""
    kept = {"managedFields", "namespace"} if namespaced else {"managedFields"}
    if metadata.to_document().keys() <= kept:
        return []
    detail = "must be empty except for namespace" if namespaced else "must be empty"
    return [invalid("metadata", metadata, detail)]


def _validate_choice(
    resource: ResourceAttributes | None, non_resource: NonResourceAttributes | None
) -> list[FieldError]:
    if resource is not None and non_resource is not None:
        detail = "cannot be specified in combination with resourceAttributes"
        return [invalid(_NON_RESOURCE, InternalValue(non_resource), detail)]
    if resource is None and non_resource is None:
        detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
        return [invalid(_RESOURCE, None, detail)]
    return []


def _validate_selectors(resource: ResourceAttributes | None) -> list[FieldError]:
    return validate_selectors(resource, _RESOURCE) if resource else []
