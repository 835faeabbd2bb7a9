"""SelfSubjectRulesReviews: what may I do in this namespace? Asked by POST, never stored."""

from memkube.registry.lazy import Lazy
from memkube.registry.resource import Resource

RESOURCE = Resource(
    group="authorization.k8s.io",
    version="v1",
    kind="SelfSubjectRulesReview",
    plural="selfsubjectrulesreviews",
    singular="selfsubjectrulesreview",
    namespaced=False,
    verbs=("create",),
    model=Lazy("memkube.apis.authorization.v1.selfsubjectrulesreviews.types:SelfSubjectRulesReview"),
    answer=Lazy("memkube.apis.authorization.v1.answers:rules_review"),
)
