"""Declarations of access reviews. Clients POST them and get the result in the response; they are not stored."""

from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import review

lazy = LazyPackage(__package__)

_GROUP = "authorization.k8s.io"

SUBJECT_ACCESS_REVIEWS = review(_GROUP, lazy, "SubjectAccessReview", "review")
LOCAL_SUBJECT_ACCESS_REVIEWS = review(_GROUP, lazy, "LocalSubjectAccessReview", "local_review", namespaced=True)
SELF_SUBJECT_ACCESS_REVIEWS = review(_GROUP, lazy, "SelfSubjectAccessReview", "self_review")
SELF_SUBJECT_RULES_REVIEWS = review(_GROUP, lazy, "SelfSubjectRulesReview", "rules_review")
