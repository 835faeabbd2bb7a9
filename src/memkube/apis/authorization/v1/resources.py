"""Declarations of access reviews, which clients create by POST to get an answer; they are not stored."""

from memkube.registry.declarations.resource import review

_GROUP = "authorization.k8s.io"
_PACKAGE = "memkube.apis.authorization.v1"

SUBJECT_ACCESS_REVIEWS = review(_GROUP, _PACKAGE, "SubjectAccessReview", "review")
LOCAL_SUBJECT_ACCESS_REVIEWS = review(_GROUP, _PACKAGE, "LocalSubjectAccessReview", "local_review", namespaced=True)
SELF_SUBJECT_ACCESS_REVIEWS = review(_GROUP, _PACKAGE, "SelfSubjectAccessReview", "self_review")
SELF_SUBJECT_RULES_REVIEWS = review(_GROUP, _PACKAGE, "SelfSubjectRulesReview", "rules_review")
